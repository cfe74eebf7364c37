import { judgeEach, type Rule } from "../rule.ts";

/** Without a state, anybody's code can be brought to the client's redirect_uri. */
export const statePresent: Rule = {
  id: "state-present",
  title: "Sends a state with every visit",
  clauses: ["D9.1"],
  isAdvice: false,
  whatToDo:
    "Send a fresh random state with every visit, keep it in the browser's session, and take no answer that does not bring it back.",
  judge: ({ visits }) =>
    judgeEach(
      visits.filter(({ step }) => step === "opened"),
      ({ facts }) => (facts.state === null ? "broken" : "kept"),
    ),
};

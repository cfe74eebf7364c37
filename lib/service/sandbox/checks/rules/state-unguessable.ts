import { limits } from "../../../../contract/limits.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** A state that can be guessed protects nobody. Its length is all that is seen of that. */
export const stateUnguessable: Rule = {
  id: "state-unguessable",
  title: "Sends a state too long to be guessed",
  clauses: ["D9.1"],
  isAdvice: false,
  whatToDo: `Make the state of random bytes, sixteen of them or more, written as base64url. A text of fewer than ${limits.checkStateCharactersMin} characters cannot hold them.`,
  judge: ({ visits }) =>
    judgeEach(
      visits.filter(({ step, facts }) => step === "opened" && facts.state !== null),
      ({ facts }) => (facts.state_length < limits.checkStateCharactersMin ? "broken" : "kept"),
    ),
};

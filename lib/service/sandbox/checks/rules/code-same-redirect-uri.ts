import { isExchange } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";
import { findOpening } from "../visits.ts";

/** The address of the exchange proves that the code came back to where the person was sent from. */
export const codeSameRedirectUri: Rule = {
  id: "code-same-redirect-uri",
  title: "Exchanges a code with the redirect_uri of its visit",
  clauses: ["D10.1", "D9.2"],
  isAdvice: false,
  whatToDo:
    "Keep the redirect_uri beside the state when the person leaves, and send that very text with the code, character for character.",
  judge: (history) =>
    judgeEach(history.calls.filter(isExchange), ({ facts }) => {
      const opening = findOpening(facts.code, history);
      if (!opening) return undefined;
      return opening.facts.redirect_uri === facts.redirect_uri ? "kept" : "broken";
    }),
};

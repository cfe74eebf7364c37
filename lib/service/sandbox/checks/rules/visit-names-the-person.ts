import { judgeEach, type Rule } from "../rule.ts";
import { arrivalsOf, findMint } from "../visits.ts";

/** A token that was minted for an intent opens the pages beside the id of that intent. */
export const visitNamesThePerson: Rule = {
  id: "visit-names-the-person",
  title: "Sends the user_intent_id for which the token was minted",
  clauses: ["I.authorization-web-page.2", "D9.1"],
  isAdvice: false,
  whatToDo:
    "Add user_intent_id to the address of the authorization pages whenever the session token was minted with one, and the same one.",
  judge: (history) =>
    judgeEach(arrivalsOf(history), ({ facts }) => {
      const mint = findMint(facts.session_token, history);
      if (mint?.facts.named_people[0] !== "user_intent_id") return undefined;
      const minted = mint.joins.find((join) => join.startsWith("intent:"));
      const isSame = minted === undefined || minted === `intent:${facts.user_intent_id}`;
      return facts.user_intent_id !== null && isSame ? "kept" : "broken";
    }),
};

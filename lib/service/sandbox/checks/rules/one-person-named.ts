import { judgeEach, type Rule } from "../rule.ts";

/** An identity verification is about an intent or about a user. */
export const onePersonNamed: Rule = {
  id: "one-person-named",
  title: "Names exactly one of user_id and user_intent_id",
  clauses: ["I.post-v1-partner-identity-verification.6", "D11.1"],
  isAdvice: false,
  whatToDo: "Send user_id for somebody who is a user already and user_intent_id for anybody else, and never both.",
  judge: ({ calls }) =>
    judgeEach(
      calls.filter(({ operation, facts }) => operation === "verifyPartnerIdentity" && facts.body !== null),
      ({ facts }) => (facts.named_people.length === 1 ? "kept" : "broken"),
    ),
};

import { judgeEach, type Rule } from "../rule.ts";
import { arrivalsOf } from "../visits.ts";

/** A challenge of the method S256 binds the code to whoever began. */
export const challengeS256: Rule = {
  id: "challenge-s256",
  title: "Binds each visit to a challenge of the method S256",
  clauses: ["D9.1"],
  isAdvice: false,
  whatToDo:
    "Send code_challenge and code_challenge_method=S256 with every visit (RFC 7636), made of a fresh random verifier.",
  judge: (history) =>
    judgeEach(arrivalsOf(history), ({ step, facts }) => {
      const isS256 = facts.code_challenge !== null && facts.code_challenge_method === "S256";
      if (step === "opened") return isS256 ? "kept" : "broken";
      return facts.code_challenge !== null && !isS256 ? "broken" : undefined;
    }),
};

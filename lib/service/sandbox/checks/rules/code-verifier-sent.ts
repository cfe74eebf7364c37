import { isExchange } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";
import { findOpening } from "../visits.ts";

/** A challenge without its verifier proves nothing. */
export const codeVerifierSent: Rule = {
  id: "code-verifier-sent",
  title: "Sends the verifier of the challenge with the code",
  clauses: ["D10.1", "D9.1"],
  isAdvice: false,
  whatToDo:
    "Keep the code_verifier in your session beside the state, never in the browser's address, and send it with the code.",
  judge: (history) =>
    judgeEach(history.calls.filter(isExchange), ({ facts }) => {
      if (!findOpening(facts.code, history)?.facts.code_challenge) return undefined;
      return facts.has_code_verifier ? "kept" : "broken";
    }),
};

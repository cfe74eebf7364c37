import { limits } from "../../../../contract/limits.ts";
import { clientTimeOf, endOf, isExchange, startOf } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";
import { findAuthorized } from "../visits.ts";

/** A code ends soon after it was given, by the client's clock. */
export const codeExchangedInTime: Rule = {
  id: "code-exchanged-in-time",
  title: "Exchanges a code as soon as the person brings it",
  clauses: ["I.tokens-and-codes.1", "I.errors.2", "I.limits.4", "D10.2"],
  isAdvice: false,
  whatToDo: `Exchange the code in the very request that brings it to your redirect_uri. It lives ${limits.authorizationCodeSeconds / 60} minutes; put it into no queue.`,
  judge: (history) =>
    judgeEach(history.calls.filter(isExchange), (call) => {
      const visit = findAuthorized(call.facts.code, history);
      if (!visit) return undefined;
      const isExpired = clientTimeOf(call) - clientTimeOf(visit) > limits.authorizationCodeSeconds * 1000;
      if (!isExpired) return "kept";
      // A clock that jumps while the person is on the way back is nobody's delay.
      return startOf(call) - endOf(visit) > limits.checkOverlapMs ? "broken" : undefined;
    }),
};

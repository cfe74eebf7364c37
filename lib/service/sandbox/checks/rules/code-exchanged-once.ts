import { limits } from "../../../../contract/limits.ts";
import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import { firstUseOf, groupByText, type History, isExchange, isSuccess, isTemporary, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";

/** A code is good once: a second use ends what the first one brought. */
export const codeExchangedOnce: Rule = {
  id: "code-exchanged-once",
  title: "Exchanges each authorization code once",
  clauses: ["I.tokens-and-codes.1", "I.post-v1-oauth-token.1", "D10.2"],
  isAdvice: false,
  whatToDo:
    "Let one request alone redeem the answer at your redirect_uri: take the stored state away in the same statement that finds it, so that a reload or a second tab finds nothing. After a lost answer, let the person authorize again.",
  judge: (history) => {
    const groups = [...groupByText(history.calls.filter(isExchange), ({ facts }) => facts.code).values()];
    return {
      kept: groups.flatMap((group) => group.filter(({ status }) => isSuccess(status))),
      broken: groups.filter((group) => isUsedAgain(group, history)).flat(),
    };
  },
};

/** Whether a code was sent again although the client knew, or cannot have waited to know, what came of it. */
function isUsedAgain([first, ...later]: readonly CallEvent[], history: History): boolean {
  if (!first || first.facts.is_faulted || first.status === null) return false;
  if (isTemporary(first.status) || first.status >= 500) return false;
  const pair = history.pairOfAccessToken.get(first.facts.issued?.access_token ?? "");
  return (
    later.length > 1 ||
    later.some((call) => {
      const isAtOnce = startOf(call) - startOf(first) < limits.checkAtOnceMs;
      return isAtOnce || (pair !== undefined && firstUseOf(pair, history) < startOf(call));
    })
  );
}

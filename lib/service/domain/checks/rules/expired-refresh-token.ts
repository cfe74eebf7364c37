import { limits } from "../../../../contract/limits.ts";
import { endOf, type History, isDefiniteRefusal, isExchange, type Pair, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";

/** A refresh token that was refused stays dead: only the person can give a new authorization. */
export const expiredRefreshToken: Rule = {
  id: "expired-refresh-token",
  title: "After a dead refresh token: asks the person, and not the token endpoint again",
  clauses: ["I.states-and-transitions.6", "I.authentication.7", "D10.1"],
  isAdvice: false,
  whatToDo:
    "When a refresh is refused with invalid_grant, forget the pair and lead the person to the authorization pages when they come next. Asking again with the same token cannot succeed.",
  judge: (history) => {
    const groups = [...history.refreshesOfToken].map(([token, refreshes]) => {
      const refusals = refreshes.filter(
        ({ status, reason }) => isDefiniteRefusal(status) && reason === "invalid_grant",
      );
      const [first] = refusals;
      // A second one may be of another process, or because the first answer was lost.
      const isStubborn =
        refusals.length > 2 && refusals.some((call) => first && startOf(call) > endOf(first) + limits.checkOverlapMs);
      const pair = history.pairOfRefreshToken.get(token);
      const isAsked = first !== undefined && pair !== undefined && hasAskedPerson(pair, endOf(first), history);
      return { refusals, isStubborn, isAsked };
    });
    return {
      kept: groups.filter(({ isAsked }) => isAsked).flatMap(({ refusals }) => refusals),
      broken: groups.filter(({ isStubborn }) => isStubborn).flatMap(({ refusals }) => refusals),
    };
  },
};

function hasAskedPerson({ owner }: Pair, afterMs: number, { calls, visits }: History): boolean {
  return (
    visits.some(
      (visit) =>
        startOf(visit) > afterMs &&
        visit.step === "opened" &&
        (visit.facts.user_id === owner || visit.joins.includes(`user:${owner}`)),
    ) || calls.some((call) => startOf(call) > afterMs && isExchange(call) && call.facts.issued?.user_id === owner)
  );
}

import { limits } from "../../../../contract/limits.ts";
import type { VisitEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, type History, isDefiniteRefusal, isExchange, startOf } from "../history.ts";
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
    const lastAsked = lastAskedMsOf(history);
    const groups = [...history.refreshesOfToken].map(([token, refreshes]) => {
      const refusals = refreshes.filter(
        ({ status, reason }) => isDefiniteRefusal(status) && reason === "invalid_grant",
      );
      const [first] = refusals;
      // A second one may be of another process, or because the first answer was lost.
      const isStubborn =
        refusals.length > 2 && refusals.some((call) => first && startOf(call) > endOf(first) + limits.checkOverlapMs);
      const pair = history.pairOfRefreshToken.get(token);
      const askedMs = (pair && lastAsked.get(pair.owner)) ?? Number.NEGATIVE_INFINITY;
      const isAsked = first !== undefined && askedMs > endOf(first);
      return { refusals, isStubborn, isAsked };
    });
    return {
      kept: groups.filter(({ isAsked }) => isAsked).flatMap(({ refusals }) => refusals),
      broken: groups.filter(({ isStubborn }) => isStubborn).flatMap(({ refusals }) => refusals),
    };
  },
};

/** By user, when the person last came to the authorization pages, or brought a code from there. */
function lastAskedMsOf({ calls, visits }: History): Map<string, number> {
  const visited = visits
    .filter(({ step }) => step === "opened")
    .flatMap((visit) => usersOf(visit).map((user) => [user, startOf(visit)] as const));
  const lastAsked = new Map(visited);
  for (const call of calls) {
    const user = isExchange(call) ? call.facts.issued?.user_id : undefined;
    if (user) lastAsked.set(user, Math.max(startOf(call), lastAsked.get(user) ?? startOf(call)));
  }
  return lastAsked;
}

function usersOf({ facts, joins }: VisitEvent): string[] {
  const joined = joins.filter((join) => join.startsWith("user:")).map((join) => join.slice("user:".length));
  return facts.user_id === null ? joined : [facts.user_id, ...joined];
}

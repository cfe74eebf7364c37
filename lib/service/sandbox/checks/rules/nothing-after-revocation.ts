import { limits } from "../../../../contract/limits.ts";
import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, type History, isSuccess, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";
import { firstPlace } from "../search.ts";

/** Whoever has ended an authorization has nothing more to do with its tokens. */
export const nothingAfterRevocation: Rule = {
  id: "nothing-after-revocation",
  title: "Uses no token of an authorization that it has revoked",
  clauses: ["D10.5", "D10.6"],
  isAdvice: false,
  whatToDo:
    "Delete the stored pair when you revoke it, in all your processes and jobs. Any live token ends every authorization of that user.",
  judge: (history) => {
    const revocations = history.calls.filter(
      ({ operation, status, facts }) =>
        operation === "revokeToken" && isSuccess(status) && facts.revoked_token !== null,
    );
    return {
      kept: revocations.filter(({ facts }) => pairOf(facts.revoked_token, history)),
      broken: [...history.revocationsOfOwner]
        .flatMap(([owner, own]) => usesAfter(own, owner, history))
        .sort((left, right) => left.endedMs - right.endedMs)
        .flatMap(({ uses }) => uses),
    };
  },
};

/** What was done with each of an owner's pairs after the first revocation that ended it. */
function usesAfter(revocations: readonly CallEvent[], owner: string, history: History) {
  const ended = revocations.map(endOf).sort((left, right) => left - right);
  return (history.pairsOfOwner.get(owner) ?? []).flatMap(({ issuedMs, accessToken, refreshToken }) => {
    const endedMs = ended[firstPlace(ended.length, (place) => (ended[place] ?? 0) >= issuedMs)];
    if (endedMs === undefined) return [];
    const calls = [
      ...(history.callsOfAccessToken.get(accessToken) ?? []),
      ...(history.refreshesOfToken.get(refreshToken) ?? []),
    ];
    const isLater = (call: CallEvent) => startOf(call) > endedMs + limits.checkOverlapMs;
    return [{ endedMs, uses: calls.filter((call) => isLater(call) && call.operation !== "revokeToken") }];
  });
}

function pairOf(token: string | null, { pairOfAccessToken, pairOfRefreshToken }: History) {
  return token === null ? undefined : (pairOfAccessToken.get(token) ?? pairOfRefreshToken.get(token));
}

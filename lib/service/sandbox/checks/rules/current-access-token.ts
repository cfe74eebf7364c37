import { limits } from "../../../../contract/limits.ts";
import { firstUseOf, type History, type Pair, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";

/** Once the client has shown that it has a newer pair, the older access token is of no use. */
export const currentAccessToken: Rule = {
  id: "current-access-token",
  title: "Never uses a superseded access token once it has the new one",
  clauses: ["I.authentication.12", "I.tokens-and-codes.2", "D10.3"],
  isAdvice: false,
  whatToDo:
    "Keep one current pair for each user in your database, and read it for each request. A copy in the memory of a process goes stale when another process refreshes.",
  judge: (history) => {
    const outdatedMs = outdatedMsOf(history);
    return {
      kept: history.calls.filter(({ facts }) => isOfLaterPair(facts.access_token, history)),
      broken: history.calls.filter((call) => {
        const pair = history.pairOfAccessToken.get(call.facts.access_token ?? "");
        return pair !== undefined && (outdatedMs.get(pair) ?? Number.POSITIVE_INFINITY) < startOf(call);
      }),
    };
  },
};

/** Since when each pair must not be used: a moment after the client first used a newer one. */
function outdatedMsOf(history: History): Map<Pair, number> {
  const outdated = new Map<Pair, number>();
  for (const pairs of history.pairsOfOwner.values()) {
    let newerUseMs = Number.POSITIVE_INFINITY;
    // Of those that were issued in the same millisecond none is newer.
    let sameUseMs = Number.POSITIVE_INFINITY;
    let later: Pair | undefined;
    for (const pair of pairs.toReversed()) {
      if (later && later.issuedMs > pair.issuedMs) {
        newerUseMs = Math.min(newerUseMs, sameUseMs);
        sameUseMs = Number.POSITIVE_INFINITY;
      }
      outdated.set(pair, newerUseMs + limits.checkOverlapMs);
      sameUseMs = Math.min(sameUseMs, firstUseOf(pair, history));
      later = pair;
    }
  }
  return outdated;
}

function isOfLaterPair(accessToken: string | null, { pairOfAccessToken, pairsOfOwner }: History): boolean {
  const pair = pairOfAccessToken.get(accessToken ?? "");
  return pair !== undefined && pairsOfOwner.get(pair.owner)?.[0] !== pair;
}

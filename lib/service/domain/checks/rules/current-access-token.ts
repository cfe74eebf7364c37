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
    const uses = history.calls.flatMap((call) => {
      const pair = history.pairOfAccessToken.get(call.facts.access_token ?? "");
      const pairs = pair && history.pairsOfOwner.get(pair.owner);
      return pair && pairs && pairs.length > 1 ? [{ call, isOld: isOutdated(pair, startOf(call), history) }] : [];
    });
    return {
      kept: uses.filter(({ call }) => isOfLaterPair(call.facts.access_token, history)).map(({ call }) => call),
      broken: uses.filter(({ isOld }) => isOld).map(({ call }) => call),
    };
  },
};

function isOutdated(pair: Pair, atMs: number, history: History): boolean {
  const newer = history.pairsOfOwner.get(pair.owner)?.filter(({ issuedMs }) => issuedMs > pair.issuedMs) ?? [];
  return newer.some((one) => firstUseOf(one, history) + limits.checkOverlapMs < atMs);
}

function isOfLaterPair(accessToken: string | null, { pairOfAccessToken, pairsOfOwner }: History): boolean {
  const pair = pairOfAccessToken.get(accessToken ?? "");
  return pair !== undefined && pairsOfOwner.get(pair.owner)?.[0] !== pair;
}

import { limits } from "../../../../contract/limits.ts";
import { endOf, type History, isSuccess, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";

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
      broken: revocations.flatMap((revocation) =>
        usesAfter(revocation.facts.revoked_token, endOf(revocation), history),
      ),
    };
  },
};

function usesAfter(revokedToken: string | null, atMs: number, history: History) {
  const owner = pairOf(revokedToken, history)?.owner;
  const ended = history.pairs.filter((pair) => pair.owner === owner && pair.issuedMs <= atMs);
  return ended
    .flatMap(({ accessToken, refreshToken }) => [
      ...(history.callsOfAccessToken.get(accessToken) ?? []),
      ...(history.refreshesOfToken.get(refreshToken) ?? []),
    ])
    .filter((call) => startOf(call) > atMs + limits.checkOverlapMs && call.operation !== "revokeToken");
}

function pairOf(token: string | null, { pairOfAccessToken, pairOfRefreshToken }: History) {
  return token === null ? undefined : (pairOfAccessToken.get(token) ?? pairOfRefreshToken.get(token));
}

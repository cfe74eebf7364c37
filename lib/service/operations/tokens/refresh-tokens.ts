import { createBatcher } from "../../../kit/batcher.ts";
import { processWide } from "../../../kit/memoize.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { runSingleStatement } from "../../../kit/transaction.ts";
import { servicePool } from "../../storage/database.ts";
import {
  findProblemsOfRefreshTokens,
  insertTokenPairsOfRefreshes,
  lockIssuedPairs,
  type Refresh,
} from "../../storage/token-pairs.ts";
import { type LeftOut, type SetOperation, serveSets, untilSettled } from "../run-set.ts";
import { hashesOf, type InvalidGrant, newTokenPair, type TokenGrant } from "./token-grant.ts";

/**
 * Exchanges a refresh token for a new pair; the shown one stays usable until it expires (published rule).
 * Refreshes that arrive together are served together, as if one after another in their order of arrival.
 */
export async function refreshTokens(refreshToken: string, { clientId }: { clientId: string }): Promise<TokenGrant> {
  const pair = newTokenPair();
  const request = { ...hashesOf(pair), clientId, shownTokenHash: sha256(refreshToken) };
  const outcome = await untilSettled(() => refresh()(request));
  return outcome.kind === "granted" ? { kind: "granted", ...pair } : outcome;
}

type RefreshOutcome = { kind: "granted" } | InvalidGrant;

const refreshing: SetOperation<Refresh, RefreshOutcome> = { attempt: refreshTogether, judge: judgeLeftOut };

// One set at a time for a token: two would only wait for their user's lock.
const refresh = processWide("service.refreshes", () =>
  createBatcher({
    name: "set of refreshes",
    run: serveSets(refreshing),
    nameOf: ({ shownTokenHash }: Refresh) => shownTokenHash.toString("hex"),
  }),
);

async function refreshTogether(refreshes: Refresh[]): Promise<(RefreshOutcome | LeftOut)[]> {
  const issued = await runSingleStatement(servicePool(), {
    run: (connection) => insertTokenPairsOfRefreshes(connection, refreshes),
    readBack: (connection) => lockIssuedPairs(connection, refreshes),
  });
  return refreshes.map((_, place) => (issued.has(place) ? { kind: "granted" } : "held"));
}

// A pair that is there was issued by a statement whose answer was lost.
async function judgeLeftOut(refreshes: Refresh[]): Promise<(RefreshOutcome | undefined)[]> {
  const issued = await lockIssuedPairs(servicePool(), refreshes);
  const causes = await findProblemsOfRefreshTokens(servicePool(), refreshes);
  return causes.map((cause, place) => {
    if (issued.has(place)) return { kind: "granted" };
    return cause ? { kind: "invalid_grant", cause } : undefined;
  });
}

import { createBatcher } from "../../../kit/batcher.ts";
import { processWide } from "../../../kit/memoize.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { runSingleStatement } from "../../../kit/single-statement.ts";
import { inTransaction, servicePool } from "../../storage/database.ts";
import {
  findIssuedPairs,
  findProblemsOfRefreshTokens,
  insertTokenPairsOfRefreshes,
  lockOwnersOfRefreshTokens,
  type Refresh,
  refreshInOneStatement,
} from "../../storage/token-pairs.ts";
import { lockTimeoutOf, type SetOptions, serveSets } from "../run-set.ts";
import { untilSettled } from "../until-settled.ts";
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

type RefreshOutcome = { kind: "granted" } | InvalidGrant | { kind: "busy" };

// One set at a time for a token: two would only wait for their user's lock.
const refresh = processWide("service.refreshes", () =>
  createBatcher({
    name: "set of refreshes",
    run: serveSets<Refresh, RefreshOutcome>({ inOneStatement: refreshEasy, carefully: refreshCarefully }),
    nameOf: ({ shownTokenHash }) => hex(shownTokenHash),
  }),
);

async function refreshEasy(refreshes: Refresh[]): Promise<(RefreshOutcome | undefined)[]> {
  const issued = await runSingleStatement(servicePool(), {
    run: (connection) => refreshInOneStatement(connection, refreshes),
    readBack: (pool) => findIssuedPairs(pool, refreshes),
  });
  return refreshes.map((_, place) => (issued.has(place) ? { kind: "granted" } : undefined));
}

function refreshCarefully(refreshes: Refresh[], options: SetOptions): Promise<RefreshOutcome[]> {
  return inTransaction(
    async (_tx, connection) => {
      const shown = refreshes.map(({ shownTokenHash }) => shownTokenHash);
      const tokens = await lockOwnersOfRefreshTokens(connection, shown, options);
      const held = new Set(tokens.filter((token) => token.isHeldElsewhere).map(({ tokenHash }) => hex(tokenHash)));
      const free = refreshes.filter(({ shownTokenHash }) => !held.has(hex(shownTokenHash)));
      const issued = await insertTokenPairsOfRefreshes(connection, free);
      const refused = free.filter((_, place) => !issued.has(place));
      const problems = await findProblemsOfRefreshTokens(connection, refused);
      const causes = new Map(refused.map((one, place) => [one, problems[place] ?? "refresh_token_unknown"]));
      return refreshes.map((one) => {
        if (held.has(hex(one.shownTokenHash))) return { kind: "busy" };
        const cause = causes.get(one);
        return cause ? { kind: "invalid_grant", cause } : { kind: "granted" };
      });
    },
    { lockTimeoutMs: lockTimeoutOf(options) },
  );
}

function hex(hash: Buffer): string {
  return hash.toString("hex");
}

import { createBatcher } from "../../../kit/batcher.ts";
import { newSecret, sha256 } from "../../../kit/secrets.ts";
import { runSingleStatement } from "../../../kit/transaction.ts";
import { cellMark, perCell } from "../../cells.ts";
import type { Redemption } from "../../domain/code-redemption.ts";
import { type CodeProof, judgeRedemption } from "../../domain/code-redemption.ts";
import {
  isAuthorizationRevoked,
  lockAuthorizationCode,
  lockUserTokens,
  redeemAuthorizationCode,
  revokeAuthorization,
  revokeAuthorizationsByToken,
} from "../../storage/authorizations.ts";
import { type Connection, type Db, database, inTransaction, servicePool } from "../../storage/database.ts";
import {
  findProblemsOfRefreshTokens,
  insertTokenPair,
  insertTokenPairsOfRefreshes,
  lockIssuedPairs,
  type Refresh,
  type RefreshTokenProblem,
} from "../../storage/tokens.ts";
import { type SetOperation, type Skipped, serveSets, untilSettled } from "../run-set.ts";

/** In plain text: sent in the response and never stored. */
export type IssuedTokenPair = { accessToken: string; refreshToken: string };

/**
 * `cause` is for the log. `busy`: another transaction held the user for longer than a request can wait, and nothing was
 * issued.
 */
export type TokenGrant = ({ kind: "granted" } & IssuedTokenPair) | InvalidGrant | { kind: "busy" };

export type InvalidGrant = { kind: "invalid_grant"; cause: GrantProblem };

type GrantProblem =
  | "code_unknown"
  | "code_of_another_client"
  | Exclude<Redemption, { kind: "grant" }>["cause"]
  | RefreshTokenProblem;

export const accessTokenPrefix = "gwa_";

/** Worthless until its hashes are stored. */
export function newTokenPair(): IssuedTokenPair {
  // Only an access token is sent without the client's id, so only it needs the cell.
  return { accessToken: newSecret(accessTokenPrefix + cellMark()), refreshToken: newSecret("gwr_") };
}

export function hashesOf({ accessToken, refreshToken }: IssuedTokenPair) {
  return { accessTokenHash: sha256(accessToken), refreshTokenHash: sha256(refreshToken) };
}

/**
 * Exchanges an authorization code for a token pair, once, in one transaction. A refusal commits its effects too: a
 * burned code, or the end of all tokens when the code was proven twice.
 */
export function exchangeAuthorizationCode(
  { code, ...proof }: CodeProof & { code: string },
  { clientId }: { clientId: string },
): Promise<TokenGrant> {
  const codeHash = sha256(code);
  const exchange = async (tx: Db, connection: Connection): Promise<TokenGrant> => {
    const locked = await lockAuthorizationCode(tx, codeHash);
    if (!locked) return { kind: "invalid_grant", cause: "code_unknown" };
    if (locked.clientId !== clientId) return { kind: "invalid_grant", cause: "code_of_another_client" };
    const { authorizationId, userId } = locked;
    await lockUserTokens(tx, userId);
    // A revocation doesn't wait for this lock, but ends these tokens too: every check reads the authorization.
    const isRevoked = await isAuthorizationRevoked(tx, authorizationId);

    const redemption = judgeRedemption({ ...locked, isRevoked }, proof);
    switch (redemption.kind) {
      case "grant": {
        const pair = newTokenPair();
        await redeemAuthorizationCode(tx, { codeHash, clientId });
        await insertTokenPair(connection, { ...hashesOf(pair), authorizationId });
        return { kind: "granted", ...pair };
      }
      case "burn":
        await redeemAuthorizationCode(tx, { codeHash, clientId });
        return { kind: "invalid_grant", cause: redemption.cause };
      case "revoke":
        await revokeAuthorization(tx, { clientId, authorizationId });
        return { kind: "invalid_grant", cause: redemption.cause };
      case "refuse":
        return { kind: "invalid_grant", cause: redemption.cause };
    }
  };
  return inTransaction(exchange, {
    wasCommitted: async (tx, connection, grant) => {
      await lockAuthorizationCode(tx, codeHash);
      return grant.kind === "granted" && (await lockIssuedPairs(connection, [hashesOf(grant)])).size === 1;
    },
  });
}

/**
 * Exchanges a refresh token for a new pair; the old one stays usable until it expires (published rule). Concurrent
 * refreshes share a statement, as if they ran one after another.
 */
export async function refreshTokens(refreshToken: string, { clientId }: { clientId: string }): Promise<TokenGrant> {
  const pair = newTokenPair();
  const request = { ...hashesOf(pair), clientId, presentedTokenHash: sha256(refreshToken) };
  const outcome = await untilSettled(() => refresh()(request));
  return outcome.kind === "granted" ? { kind: "granted", ...pair } : outcome;
}

type RefreshOutcome = { kind: "granted" } | InvalidGrant;

const refreshing: SetOperation<Refresh, RefreshOutcome> = { attempt: refreshTogether, judge: judgeSkipped };

// One set per token at a time: two would only wait for their user's lock.
const refresh = perCell("service.refreshes", () =>
  createBatcher({
    name: "set of refreshes",
    run: serveSets(refreshing),
    nameOf: ({ presentedTokenHash }: Refresh) => presentedTokenHash.toString("hex"),
  }),
);

async function refreshTogether(refreshes: Refresh[]): Promise<(RefreshOutcome | Skipped)[]> {
  const issued = await runSingleStatement(servicePool(), {
    run: (connection) => insertTokenPairsOfRefreshes(connection, refreshes),
    readBack: (connection) => lockIssuedPairs(connection, refreshes),
  });
  return refreshes.map((_, index) => (issued.has(index) ? { kind: "granted" } : "held"));
}

// If a pair exists, the answer of the statement that issued it was lost.
async function judgeSkipped(refreshes: Refresh[]): Promise<(RefreshOutcome | undefined)[]> {
  const issued = await lockIssuedPairs(servicePool(), refreshes);
  const causes = await findProblemsOfRefreshTokens(servicePool(), refreshes);
  return causes.map((cause, index) => {
    if (issued.has(index)) return { kind: "granted" };
    return cause ? { kind: "invalid_grant", cause } : undefined;
  });
}

/**
 * Ends every authorization of a token's user with this client (Decision D10). Does nothing, without an error, if the
 * token isn't live or isn't this client's (RFC 7009 section 2.2).
 */
export function revokeAuthorizations(token: string, { clientId }: { clientId: string }): Promise<void> {
  return revokeAuthorizationsByToken(database(), { clientId, tokenHash: sha256(token) });
}

import { and, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import type { RedeemableCode } from "../domain/code-redemption.ts";
import { clientTime, clientTimeOfInsert, timeAfter } from "./clients.ts";
import type { Db, RowOfClient } from "./database.ts";
import { authorizationCodes, authorizations, clients, users, visits } from "./schema.ts";
import { isClientReady, matchesVisitKey, type VisitKey } from "./visits.ts";

type AuthorizationCode = typeof authorizationCodes.$inferSelect;

/** `id` is the visit's: a visit creates at most one authorization. */
export type NewAuthorization = { id: string } & Pick<
  AuthorizationCode,
  "clientId" | "userId" | "codeHash" | "redirectUri" | "codeChallenge" | "traceId"
>;

/**
 * Stores an authorization with its code, which is valid for `limits.authorizationCodeSeconds` by the client's clock
 * (Decision D10).
 */
export async function insertAuthorization(tx: Db, { codeHash, ...authorization }: NewAuthorization): Promise<void> {
  const { id: authorizationId, clientId, userId, redirectUri, codeChallenge, traceId } = authorization;
  const now = clientTimeOfInsert(clientId);
  await tx.insert(authorizations).values({ id: authorizationId, clientId, userId, createdAt: now });
  await tx.insert(authorizationCodes).values({
    codeHash,
    authorizationId,
    clientId,
    userId,
    redirectUri,
    codeChallenge,
    traceId,
    createdAt: now,
    expiresAt: sql`${now} + make_interval(secs => ${limits.authorizationCodeSeconds})`,
  });
}

/**
 * Replaces the unused code of a finished visit, with the same expiry. Undefined if there is none, because it was
 * redeemed, burned, expired or revoked, or the visit was withdrawn. One statement, which waits for an exchange in progress.
 */
export async function replaceAuthorizationCode(tx: Db, key: VisitKey, codeHash: Buffer) {
  const [row] = await tx
    .update(authorizationCodes)
    .set({ codeHash })
    .from(visits)
    .innerJoin(clients, eq(clients.id, visits.clientId))
    .innerJoin(authorizations, eq(authorizations.id, visits.id))
    .where(
      and(
        matchesVisitKey(key),
        isNotNull(visits.finishedAt),
        isClientReady,
        isNull(authorizations.revokedAt),
        eq(authorizationCodes.clientId, visits.clientId),
        eq(authorizationCodes.authorizationId, authorizations.id),
        isNull(authorizationCodes.redeemedAt),
        gt(authorizationCodes.expiresAt, timeAfter(sql`${clients.clockOffset}`)),
      ),
    )
    .returning({
      clientId: authorizationCodes.clientId,
      userIntentId: visits.userIntentId,
      userId: authorizationCodes.userId,
      redirectUri: authorizationCodes.redirectUri,
      state: visits.state,
      traceId: authorizationCodes.traceId,
    });
  return row;
}

type VisitCodeStatus = "live" | "expired" | "ended";

/** Whether a finished visit's code is live, expired unspent, or ended (spent, burned or revoked); undefined without one. */
export async function findVisitCodeStatus(db: Db, { id, clientId }: RowOfClient): Promise<VisitCodeStatus | undefined> {
  const codes = authorizationCodes;
  const [row] = await db
    .select({
      status: sql<VisitCodeStatus>`case
        when ${codes.codeHash} is null or ${codes.redeemedAt} is not null or ${authorizations.revokedAt} is not null then 'ended'
        when ${codes.expiresAt} <= ${clientTime(clientId)} then 'expired'
        else 'live' end`,
    })
    .from(authorizations)
    .leftJoin(
      codes,
      and(
        eq(codes.authorizationId, authorizations.id),
        // For the index on the client and the expiry.
        eq(codes.clientId, authorizations.clientId),
        sql`${codes.expiresAt} between ${authorizations.createdAt}
          and ${authorizations.createdAt} + make_interval(secs => ${limits.authorizationCodeSeconds})`,
      ),
    )
    .where(eq(authorizations.id, id));
  return row?.status;
}

export type LockedCode = Pick<AuthorizationCode, "clientId" | "authorizationId" | "userId"> &
  Omit<RedeemableCode, "isRevoked">;

/** Locks a code of any client; undefined if it's unknown. */
export async function lockAuthorizationCode(tx: Db, codeHash: Buffer): Promise<LockedCode | undefined> {
  const [row] = await tx
    .select({
      clientId: authorizationCodes.clientId,
      authorizationId: authorizationCodes.authorizationId,
      userId: authorizationCodes.userId,
      redirectUri: authorizationCodes.redirectUri,
      codeChallenge: authorizationCodes.codeChallenge,
      isExpired: sql<boolean>`${authorizationCodes.expiresAt} <= now() + ${clients.clockOffset}`,
      isRedeemed: sql<boolean>`${authorizationCodes.redeemedAt} is not null`,
    })
    .from(authorizationCodes)
    .innerJoin(clients, eq(clients.id, authorizationCodes.clientId))
    .where(eq(authorizationCodes.codeHash, codeHash))
    .for("update", { of: authorizationCodes });
  return row;
}

export async function redeemAuthorizationCode(
  tx: Db,
  { codeHash, clientId }: { codeHash: Buffer; clientId: string },
): Promise<void> {
  await tx
    .update(authorizationCodes)
    .set({ redeemedAt: clientTime(clientId) })
    .where(eq(authorizationCodes.codeHash, codeHash));
}

/** Locks a user. Everything that issues tokens does this first, so that each user has one current token. */
export async function lockUserTokens(tx: Db, userId: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update");
}

export async function isAuthorizationRevoked(tx: Db, authorizationId: string): Promise<boolean> {
  const [row] = await tx
    .select({ revokedAt: authorizations.revokedAt })
    .from(authorizations)
    .where(eq(authorizations.id, authorizationId));
  return !row || row.revokedAt !== null;
}

/** Ends one authorization. Its codes and tokens end with it, so they need no update. */
export async function revokeAuthorization(
  db: Db,
  { clientId, authorizationId }: { clientId: string; authorizationId: string },
): Promise<void> {
  await db.execute(sql`
    update authorizations set revoked_at = ${clientTime(clientId)}
    where id = ${authorizationId} and revoked_at is null`);
}

/**
 * Ends every authorization that the user of a live access or refresh token gave this client. One statement, so a token
 * already ended by a concurrent revocation can't end a later authorization.
 */
export async function revokeAuthorizationsByToken(
  db: Db,
  { clientId, tokenHash }: { clientId: string; tokenHash: Buffer },
): Promise<void> {
  const isLive = sql`t.token_hash = ${tokenHash} and t.client_id = ${clientId} and z.revoked_at is null
    and t.expires_at > ${clientTime(clientId)}`;
  // Locked in id order, as a clock reset does.
  await db.execute(sql`
    with owner as (
      select t.user_id from access_tokens t join authorizations z on z.id = t.authorization_id
      where ${isLive} and t.superseded_at is null
      union all
      select t.user_id from refresh_tokens t join authorizations z on z.id = t.authorization_id where ${isLive}
    ), ended as (
      select id from authorizations
      where client_id = ${clientId} and user_id = (select user_id from owner) and revoked_at is null
      order by id for no key update
    )
    update authorizations set revoked_at = ${clientTime(clientId)} where id in (select id from ended)`);
}

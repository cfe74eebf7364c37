import { eq, type SQL, sql } from "drizzle-orm";
import { clientTime } from "./client-time.ts";
import type { Db } from "./database.ts";
import { authorizations, users } from "./schema.ts";

/**
 * Locks a user until the transaction ends. Whoever issues or revokes tokens of a user does this first, so that the two
 * exclude each other: a revocation sees every token issued before it, and nothing is issued from what it ended.
 */
export async function lockUserTokens(tx: Db, userId: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update");
}

/** Whether an authorization was ended. Ask while its user is locked. */
export async function isAuthorizationRevoked(tx: Db, authorizationId: string): Promise<boolean> {
  const [row] = await tx
    .select({ revokedAt: authorizations.revokedAt })
    .from(authorizations)
    .where(eq(authorizations.id, authorizationId));
  return !row || row.revokedAt !== null;
}

/** Ends one authorization with every token that came from it. Its user must be locked. */
export function revokeAuthorization(
  tx: Db,
  { clientId, authorizationId }: { clientId: string; authorizationId: string },
) {
  return revoke(tx, clientId, sql`z.id = ${authorizationId}`);
}

/** Ends every authorization that a user gave a client, with all tokens and unspent codes. The user must be locked. */
export function revokeAuthorizationsOfUser(tx: Db, { clientId, userId }: { clientId: string; userId: string }) {
  return revoke(tx, clientId, sql`z.user_id = ${userId} and z.client_id = ${clientId}`);
}

/** What a live access or refresh token of this client belongs to; undefined when it is not live, or not this client's. */
export async function findOwnerOfLiveToken(
  tx: Db,
  { clientId, tokenHash }: { clientId: string; tokenHash: Buffer },
): Promise<{ userId: string; authorizationId: string } | undefined> {
  const isLive = sql`token_hash = ${tokenHash} and client_id = ${clientId} and revoked_at is null
    and expires_at > ${clientTime(clientId)}`;
  const { rows } = await tx.execute<{ userId: string; authorizationId: string }>(sql`
    select user_id as "userId", authorization_id as "authorizationId" from access_tokens
    where ${isLive} and superseded_at is null
    union all
    select user_id, authorization_id from refresh_tokens where ${isLive}`);
  return rows[0];
}

async function revoke(tx: Db, clientId: string, which: SQL): Promise<void> {
  const now = clientTime(clientId);
  await tx.execute(sql`
    with ended as (
      update authorizations z set revoked_at = coalesce(z.revoked_at, ${now}) where ${which} returning z.id
    ), access as (
      update access_tokens t set revoked_at = ${now} from ended
      where t.authorization_id = ended.id and t.revoked_at is null
    )
    update refresh_tokens t set revoked_at = ${now} from ended
    where t.authorization_id = ended.id and t.revoked_at is null`);
}

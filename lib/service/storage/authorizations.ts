import { eq, sql } from "drizzle-orm";
import { clientTime } from "./clients.ts";
import type { Db } from "./database.ts";
import { authorizations, users } from "./schema.ts";

/** Locks a user until the transaction ends. Whoever issues tokens of a user does this first, so that one of them is current. */
export async function lockUserTokens(tx: Db, userId: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update");
}

/** Whether an authorization was ended. */
export async function isAuthorizationRevoked(tx: Db, authorizationId: string): Promise<boolean> {
  const [row] = await tx
    .select({ revokedAt: authorizations.revokedAt })
    .from(authorizations)
    .where(eq(authorizations.id, authorizationId));
  return !row || row.revokedAt !== null;
}

/**
 * Ends one authorization, and with it every code and token that came from it or is just being issued from it: they live by
 * its row alone, so this touches none of them however many there are.
 */
export async function revokeAuthorization(
  db: Db,
  { clientId, authorizationId }: { clientId: string; authorizationId: string },
): Promise<void> {
  await db.execute(sql`
    update authorizations set revoked_at = ${clientTime(clientId)}
    where id = ${authorizationId} and revoked_at is null`);
}

/**
 * Ends likewise every authorization that the user of a live access or refresh token gave this client. One statement, so a
 * token that another revocation ended meanwhile ends nothing that was given afterwards.
 */
export async function revokeAuthorizationsByToken(
  db: Db,
  { clientId, tokenHash }: { clientId: string; tokenHash: Buffer },
): Promise<void> {
  const isLive = sql`t.token_hash = ${tokenHash} and t.client_id = ${clientId} and z.revoked_at is null
    and t.expires_at > ${clientTime(clientId)}`;
  // Locked in the order of their ids, as by a reset of the clock.
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

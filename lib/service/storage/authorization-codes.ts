import { eq, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import { newId } from "../../kit/ids.ts";
import { clientTime } from "./client-time.ts";
import type { Db } from "./database.ts";
import { authorizationCodes, authorizations, clients } from "./schema.ts";

/** What a person has just allowed, and the code that stands for it on its way through the browser. */
export type NewAuthorization = {
  clientId: string;
  userId: string;
  codeHash: Buffer;
  redirectUri: string;
  codeChallenge: string | null;
  traceId: string;
};

/** Keeps a new authorization with its code, which lives `limits.authorizationCodeSeconds` by the client's clock (Decision D10). */
export async function insertAuthorization(tx: Db, { codeHash, ...authorization }: NewAuthorization): Promise<void> {
  const { clientId, userId, redirectUri, codeChallenge, traceId } = authorization;
  const authorizationId = newId();
  const now = clientTime(clientId);
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

/** A code as its exchange must judge it, already locked: whoever else exchanges it waits. */
export type LockedCode = {
  clientId: string;
  authorizationId: string;
  userId: string;
  redirectUri: string;
  codeChallenge: string | null;
  isExpired: boolean;
  isRedeemed: boolean;
};

/** Locks a code until the transaction ends, whichever client's it is; undefined when it is unknown. */
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

/** Marks a code as spent, whether it was granted or burned. */
export async function redeemAuthorizationCode(
  tx: Db,
  { codeHash, clientId }: { codeHash: Buffer; clientId: string },
): Promise<void> {
  await tx
    .update(authorizationCodes)
    .set({ redeemedAt: clientTime(clientId) })
    .where(eq(authorizationCodes.codeHash, codeHash));
}

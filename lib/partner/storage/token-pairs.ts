import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { type StoredTokens, storedTokensOf, type TokenPair, type TokenStore } from "#client";
import { decryptText, encryptText, type Keyring } from "../../kit/encryption.ts";
import { type Database, type Db, harborNow } from "./database.ts";
import { tokenPairs } from "./schema.ts";

/** A pair as it is stored, and the seconds that each token has left by Harbor's clock. */
export type TokenPairRow = typeof tokenPairs.$inferSelect & {
  accessTokenSeconds: number;
  refreshTokenSeconds: number;
};

/** The current pair of a user of the service. */
export async function findTokenPair(db: Db, serviceUserId: string): Promise<TokenPairRow | undefined> {
  const secondsUntil = (time: AnyPgColumn) =>
    sql<number>`extract(epoch from ${time} - ${harborNow})::float8`.mapWith(Number);
  const [row] = await db
    .select({
      pair: tokenPairs,
      accessTokenSeconds: secondsUntil(tokenPairs.accessTokenExpiresAt),
      refreshTokenSeconds: secondsUntil(tokenPairs.refreshTokenExpiresAt),
    })
    .from(tokenPairs)
    .where(eq(tokenPairs.serviceUserId, serviceUserId));
  return (
    row && { ...row.pair, accessTokenSeconds: row.accessTokenSeconds, refreshTokenSeconds: row.refreshTokenSeconds }
  );
}

/** Makes this pair the current one of its user, and its lifetimes begin now. */
export async function replaceTokenPair(
  db: Db,
  pair: {
    serviceUserId: string;
    accessTokenEncrypted: string;
    refreshTokenEncrypted: string;
    accessTokenSeconds: number;
    refreshTokenSeconds: number;
  },
): Promise<void> {
  const { serviceUserId, accessTokenSeconds, refreshTokenSeconds, ...encrypted } = pair;
  const values = {
    ...encrypted,
    accessTokenExpiresAt: sql`${harborNow} + make_interval(secs => ${accessTokenSeconds})`,
    refreshTokenExpiresAt: sql`${harborNow} + make_interval(secs => ${refreshTokenSeconds})`,
    issuedAt: harborNow,
  };
  await db
    .insert(tokenPairs)
    .values({ serviceUserId, ...values })
    .onConflictDoUpdate({ target: tokenPairs.serviceUserId, set: values });
}

/** Forgets a pair that is of no use any more, unless another has taken its place (no two ciphertexts are equal). */
export async function deleteTokenPair(
  db: Db,
  { serviceUserId, refreshTokenEncrypted }: { serviceUserId: string; refreshTokenEncrypted: string },
): Promise<void> {
  await db
    .delete(tokenPairs)
    .where(
      and(eq(tokenPairs.serviceUserId, serviceUserId), eq(tokenPairs.refreshTokenEncrypted, refreshTokenEncrypted)),
    );
}

/** Notes that the access token of a pair has ended before its time, unless another pair has taken its place. */
export async function endAccessToken(
  db: Db,
  { serviceUserId, accessTokenEncrypted }: { serviceUserId: string; accessTokenEncrypted: string },
): Promise<void> {
  await db
    .update(tokenPairs)
    .set({ accessTokenExpiresAt: sql`least(${tokenPairs.accessTokenExpiresAt}, ${harborNow})` })
    .where(and(eq(tokenPairs.serviceUserId, serviceUserId), eq(tokenPairs.accessTokenEncrypted, accessTokenEncrypted)));
}

/** A page of the users whose pair was issued at least so many days ago, ordered by id, starting after `after`. */
export async function listOldTokenPairs(
  db: Db,
  { days, limit, after }: { days: number; limit: number; after: string },
): Promise<string[]> {
  const rows = await db
    .select({ id: tokenPairs.serviceUserId })
    .from(tokenPairs)
    .where(
      and(
        lte(tokenPairs.issuedAt, sql`${harborNow} - make_interval(days => ${days})`),
        gt(tokenPairs.serviceUserId, after),
      ),
    )
    .orderBy(tokenPairs.serviceUserId)
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** The users of the service for whom Harbor holds tokens. */
export async function listConnectedUserIds(db: Db): Promise<string[]> {
  const rows = await db.select({ id: tokenPairs.serviceUserId }).from(tokenPairs).orderBy(tokenPairs.serviceUserId);
  return rows.map(({ id }) => id);
}

/** Keeps pairs in Harbor's database, encrypted for their row; their seconds are counted by its clock. */
export function createTokenStore({ db, withRefreshLock }: Database, keyring: Keyring): TokenStore {
  const decrypted = (text: string, column: TokenColumn, userId: string) =>
    decryptText(text, contextOf(column, userId), keyring);

  async function read(userId: string): Promise<StoredTokens | undefined> {
    const row = await findTokenPair(db, userId);
    if (!row) return undefined;
    const [accessToken, refreshToken] = await Promise.all([
      decrypted(row.accessTokenEncrypted, "access_token", userId),
      decrypted(row.refreshTokenEncrypted, "refresh_token", userId),
    ]);
    const { accessTokenSeconds, refreshTokenSeconds } = row;
    return { accessToken, refreshToken, accessTokenSeconds, refreshTokenSeconds };
  }

  // Both statements name the row by its ciphertext, so a pair that took its place stays.
  async function remove(userId: string, dead: { refreshToken: string } | { accessToken: string }): Promise<void> {
    const row = await findTokenPair(db, userId);
    if (!row) return;
    if ("refreshToken" in dead) {
      const current = await decrypted(row.refreshTokenEncrypted, "refresh_token", userId);
      if (current === dead.refreshToken) await deleteTokenPair(db, row);
      return;
    }
    const current = await decrypted(row.accessTokenEncrypted, "access_token", userId);
    if (current === dead.accessToken) await endAccessToken(db, row);
  }

  const write = (userId: string, tokens: StoredTokens) => writeTokens(keyring, db, userId, tokens);
  return { read, write, remove, exclusively: (userId, work) => withRefreshLock(userId, work) };
}

/** Keeps a pair that the service just issued as the user's current one, in the caller's transaction. */
export function storeTokenPair(keyring: Keyring, db: Db, serviceUserId: string, pair: TokenPair): Promise<void> {
  return writeTokens(keyring, db, serviceUserId, storedTokensOf(pair));
}

async function writeTokens(
  keyring: Keyring,
  db: Db,
  serviceUserId: string,
  { accessToken, refreshToken, ...lifetimes }: StoredTokens,
): Promise<void> {
  await replaceTokenPair(db, {
    serviceUserId,
    accessTokenEncrypted: await encryptText(accessToken, contextOf("access_token", serviceUserId), keyring),
    refreshTokenEncrypted: await encryptText(refreshToken, contextOf("refresh_token", serviceUserId), keyring),
    ...lifetimes,
  });
}

type TokenColumn = "access_token" | "refresh_token";

function contextOf(column: TokenColumn, serviceUserId: string): string {
  return `token_pairs.${column}:${serviceUserId}`;
}

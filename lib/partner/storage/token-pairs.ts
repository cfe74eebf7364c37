import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { type StoredTokens, storedTokensOf, type TokenPair, type TokenStore } from "#client";
import { decryptText, encryptText, type Keyring } from "../../kit/secrets.ts";
import { type Database, type Db, harborNow } from "./database.ts";
import { tokenPairs } from "./schema.ts";

/** A stored pair, with the seconds until each token expires. */
export type TokenPairRow = typeof tokenPairs.$inferSelect & {
  accessTokenSeconds: number;
  refreshTokenSeconds: number;
};

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

/** A page of users with a pair at least this many days old, by id after `after`. */
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

/**
 * Claims the renewal of a pair at least this many days old. The next try waits as long as this one was late, so pauses
 * double, from a minute to an hour, and halve again as the pair's end comes near. False if it isn't due.
 */
export async function claimRenewal(db: Db, serviceUserId: string, { days }: { days: number }): Promise<boolean> {
  const dueAt = sql`${tokenPairs.issuedAt} + make_interval(hours => ${days * 24})`;
  const leftHalf = sql`(${tokenPairs.refreshTokenExpiresAt} - ${harborNow}) / 2`;
  const pause = sql`greatest(interval '1 minute', least(interval '1 hour', ${harborNow} - (${dueAt}), ${leftHalf}))`;
  const { rowCount } = await db
    .update(tokenPairs)
    .set({ nextRenewalAt: sql`${harborNow} + ${pause}` })
    .where(
      and(
        eq(tokenPairs.serviceUserId, serviceUserId),
        lte(sql`greatest(${dueAt}, ${tokenPairs.nextRenewalAt})`, harborNow),
      ),
    );
  return rowCount === 1;
}

export async function listConnectedUserIds(db: Db): Promise<string[]> {
  const rows = await db.select({ id: tokenPairs.serviceUserId }).from(tokenPairs).orderBy(tokenPairs.serviceUserId);
  return rows.map(({ id }) => id);
}

/** Stores token pairs in Harbor's database, encrypted for their row. */
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

  // No two ciphertexts are equal, so a pair that was just replaced matches neither condition.
  async function remove(userId: string, dead: { refreshToken: string } | { accessToken: string }): Promise<void> {
    const row = await findTokenPair(db, userId);
    if (!row) return;
    const isUser = eq(tokenPairs.serviceUserId, userId);
    if ("refreshToken" in dead) {
      const { refreshTokenEncrypted } = row;
      if ((await decrypted(refreshTokenEncrypted, "refresh_token", userId)) !== dead.refreshToken) return;
      await db.delete(tokenPairs).where(and(isUser, eq(tokenPairs.refreshTokenEncrypted, refreshTokenEncrypted)));
      return;
    }
    const { accessTokenEncrypted } = row;
    if ((await decrypted(accessTokenEncrypted, "access_token", userId)) !== dead.accessToken) return;
    await db
      .update(tokenPairs)
      .set({ accessTokenExpiresAt: sql`least(${tokenPairs.accessTokenExpiresAt}, ${harborNow})` })
      .where(and(isUser, eq(tokenPairs.accessTokenEncrypted, accessTokenEncrypted)));
  }

  const write = (userId: string, tokens: StoredTokens) => writeTokens(keyring, db, userId, tokens);
  return { read, write, remove, exclusively: (userId, work) => withRefreshLock(userId, work) };
}

export function storeTokenPair(keyring: Keyring, db: Db, serviceUserId: string, pair: TokenPair): Promise<void> {
  return writeTokens(keyring, db, serviceUserId, storedTokensOf(pair));
}

/** Replaces a user's pair; its lifetimes start now. */
async function writeTokens(
  keyring: Keyring,
  db: Db,
  serviceUserId: string,
  { accessToken, refreshToken, accessTokenSeconds, refreshTokenSeconds }: StoredTokens,
): Promise<void> {
  const pair = {
    accessTokenEncrypted: await encryptText(accessToken, contextOf("access_token", serviceUserId), keyring),
    refreshTokenEncrypted: await encryptText(refreshToken, contextOf("refresh_token", serviceUserId), keyring),
    accessTokenExpiresAt: sql`${harborNow} + make_interval(secs => ${accessTokenSeconds})`,
    refreshTokenExpiresAt: sql`${harborNow} + make_interval(secs => ${refreshTokenSeconds})`,
    issuedAt: harborNow,
    nextRenewalAt: null,
  };
  await db
    .insert(tokenPairs)
    .values({ serviceUserId, ...pair })
    .onConflictDoUpdate({ target: tokenPairs.serviceUserId, set: pair });
}

type TokenColumn = "access_token" | "refresh_token";

function contextOf(column: TokenColumn, serviceUserId: string): string {
  return `token_pairs.${column}:${serviceUserId}`;
}

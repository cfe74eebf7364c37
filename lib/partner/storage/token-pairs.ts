import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Db } from "./database.ts";
import { harborNow } from "./database.ts";
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

import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { harborNow } from "./database.ts";
import { tokenPairs } from "./schema.ts";

/** A pair as it lies in the database; what is still good is judged there, by Harbor's clock. */
export type TokenPairRow = typeof tokenPairs.$inferSelect & {
  isAccessTokenFresh: boolean;
  isRefreshTokenLive: boolean;
};

/** The current pair of a user of the service. Its access token counts as fresh until `earlySeconds` before it expires. */
export async function findTokenPair(
  db: Db,
  { serviceUserId, earlySeconds }: { serviceUserId: string; earlySeconds: number },
): Promise<TokenPairRow | undefined> {
  const [row] = await db
    .select({
      pair: tokenPairs,
      isAccessTokenFresh: sql<boolean>`${tokenPairs.accessTokenExpiresAt} > ${harborNow} + make_interval(secs => ${earlySeconds})`,
      isRefreshTokenLive: sql<boolean>`${tokenPairs.refreshTokenExpiresAt} > ${harborNow}`,
    })
    .from(tokenPairs)
    .where(eq(tokenPairs.serviceUserId, serviceUserId));
  return row && { ...row.pair, isAccessTokenFresh: row.isAccessTokenFresh, isRefreshTokenLive: row.isRefreshTokenLive };
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

/** Whose pair it is, and when it was issued. */
export type IssuedPair = Pick<TokenPairRow, "serviceUserId" | "issuedAt">;

/** A page of the pairs that were issued at least so many days ago, by their users' ids; it begins behind `after`. */
export function listOldTokenPairs(
  db: Db,
  { days, limit, after }: { days: number; limit: number; after: string },
): Promise<IssuedPair[]> {
  return db
    .select({ serviceUserId: tokenPairs.serviceUserId, issuedAt: tokenPairs.issuedAt })
    .from(tokenPairs)
    .where(
      and(
        lte(tokenPairs.issuedAt, sql`${harborNow} - make_interval(days => ${days})`),
        gt(tokenPairs.serviceUserId, after),
      ),
    )
    .orderBy(tokenPairs.serviceUserId)
    .limit(limit);
}

/** The users of the service for whom Harbor holds tokens. */
export async function listConnectedUserIds(db: Db): Promise<string[]> {
  const rows = await db.select({ id: tokenPairs.serviceUserId }).from(tokenPairs).orderBy(tokenPairs.serviceUserId);
  return rows.map(({ id }) => id);
}

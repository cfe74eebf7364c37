import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../storage/database.ts";

/** A stored key for the client. `userId` is null for a client-level operation. */
export type ListedKey = {
  key: string;
  operation: string;
  userId: string | null;
  resourceId: string | null;
  createdAt: Date;
  voidedAt: Date | null;
};

// Across all clients.
const scannedMax = 1000;

/**
 * A client's keys, newest first. An index by client and age would slow down bookings, so the newest keys of all clients are
 * scanned first, and the client's own only if those don't fill the page.
 */
export async function listIdempotencyKeys(
  db: Db,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<ListedKey[]> {
  const lately = sql`(select * from idempotency_keys order by created_real_at desc limit ${scannedMax}) k where k.client_id = ${clientId}`;
  const found = await selectNewestKeys(db, lately, limit);
  if (found.length === limit) return found;
  // The offset makes PostgreSQL use the primary key instead of the index by age.
  return selectNewestKeys(db, sql`(select * from idempotency_keys where client_id = ${clientId} offset 0) k`, limit);
}

async function selectNewestKeys(db: Db, from: SQL, limit: number): Promise<ListedKey[]> {
  const { rows } = await db.execute<
    Omit<ListedKey, "createdAt" | "voidedAt"> & { createdAtMs: number; isVoided: boolean }
  >(sql`
    select k.key, k.operation, nullif(k.user_scope, '') as "userId", k.resource_id as "resourceId",
      k.voided_real_at is not null as "isVoided", (extract(epoch from k.created_real_at) * 1000)::float8 as "createdAtMs"
    from ${from} order by k.created_real_at desc, k.resource_id desc limit ${limit}`);
  return rows.map(({ createdAtMs, isVoided, ...key }) => {
    const createdAt = new Date(createdAtMs);
    return { ...key, createdAt, voidedAt: isVoided ? createdAt : null };
  });
}

import { type SQL, sql } from "drizzle-orm";
import { runPrepared } from "../../kit/postgres.ts";
import { type IdempotencyKey, type KeptKey, type KeyName, nameOfKey } from "../domain/idempotency.ts";
import type { Connection, Db } from "./database.ts";

/** Locks keys until the transaction ends, without waiting. Returns the names of those that another transaction holds. */
export async function lockIdempotencyKeys(connection: Connection, keys: readonly KeyName[]): Promise<Set<string>> {
  const names = [...new Set(keys.map(nameOfKey))].sort();
  const rows = await runPrepared<{ name: string }>(connection, tryLocks, [names]);
  return new Set(rows.map(({ name }) => name));
}

/** Stored keys by name. Lock them first. */
export async function findKeptKeys(connection: Connection, keys: readonly KeyName[]): Promise<Map<string, KeptKey>> {
  type Row = { name: string; isVoided: boolean; fingerprint: Buffer; resourceId: string };
  const rows = await runPrepared<Row>(connection, findKept, [
    keys.map(nameOfKey),
    keys.map(({ clientId }) => clientId),
    keys.map(({ userScope }) => userScope),
    keys.map(({ operation }) => operation),
    keys.map(({ key }) => key),
  ]);
  return new Map(rows.map(({ name, isVoided, ...kept }) => [name, isVoided ? "voided" : kept]));
}

/** Stores a key, in the transaction that creates its resource. */
export async function insertIdempotencyKey(
  connection: Connection,
  { clientId, userScope, operation, key, fingerprint }: IdempotencyKey,
  { resourceId }: { resourceId: string },
): Promise<void> {
  await runPrepared(connection, insertKey, [clientId, userScope, operation, key, fingerprint, resourceId]);
}

export async function insertVoidedKey(
  connection: Connection,
  { clientId, userScope, operation, key }: KeyName,
): Promise<void> {
  await runPrepared(connection, insertVoided, [clientId, userScope, operation, key]);
}

/** A stored key for the client. `userId` is null for a client-level operation. */
export type ListedKey = {
  key: string;
  operation: string;
  userId: string | null;
  resourceId: string | null;
  createdAt: Date;
  voidedAt: Date | null;
};

// Of all clients.
const walkedMax = 1000;

/**
 * A client's keys, newest first. An index by client and age would slow down bookings, so the newest keys of all clients are
 * scanned first, and the client's own only if those don't fill the page.
 */
export async function listIdempotencyKeys(
  db: Db,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<ListedKey[]> {
  const lately = sql`(select * from idempotency_keys order by created_real_at desc limit ${walkedMax}) k where k.client_id = ${clientId}`;
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

const tryLocks = {
  name: "try_idempotency_key_locks",
  text: `
    select name from unnest($1::text[]) as asked (name)
    where not pg_try_advisory_xact_lock(hashtextextended(name, 0))`,
};

const findKept = {
  name: "find_kept_idempotency_keys",
  text: `
    select asked.name, k.fingerprint, k.resource_id as "resourceId", k.voided_real_at is not null as "isVoided"
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[])
      as asked (name, client_id, user_scope, operation, key)
    join idempotency_keys k on k.client_id = asked.client_id and k.user_scope = asked.user_scope
      and k.operation = asked.operation and k.key = asked.key`,
};

const insertKey = {
  name: "insert_idempotency_key",
  text: `
    insert into idempotency_keys (client_id, user_scope, operation, key, fingerprint, resource_id)
    values ($1, $2, $3, $4, $5, $6)`,
};

const insertVoided = {
  name: "insert_voided_idempotency_key",
  text: `
    insert into idempotency_keys (client_id, user_scope, operation, key, voided_real_at)
    values ($1, $2, $3, $4, now())`,
};

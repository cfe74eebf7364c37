import { type SQL, sql } from "drizzle-orm";
import { runPrepared } from "../../kit/postgres.ts";
import { type IdempotencyKey, type KeptKey, type KeyName, nameOfKey } from "../domain/idempotency.ts";
import type { Connection, Db } from "./database.ts";

/**
 * Makes the transaction the only one that works on these keys, until it ends, and waits for none of them, so that a key
 * in use holds up its own request only. Returns the names of those that another transaction works on.
 */
export async function lockIdempotencyKeys(connection: Connection, keys: readonly KeyName[]): Promise<Set<string>> {
  const names = [...new Set(keys.map(nameOfKey))].sort();
  const rows = await runPrepared<{ name: string }>(connection, tryLocks, [names]);
  return new Set(rows.map(({ name }) => name));
}

/** What locked keys stand for, by their names; of one that stands for nothing yet, no entry. */
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

/** Keeps what a key stands for from now on, in the transaction that created it: never one without the other. */
export async function insertIdempotencyKey(
  connection: Connection,
  { clientId, userScope, operation, key, fingerprint }: IdempotencyKey,
  { resourceId }: { resourceId: string },
): Promise<void> {
  await runPrepared(connection, insertKey, [clientId, userScope, operation, key, fingerprint, resourceId]);
}

/** Keeps that a locked key stands for nothing for good. */
export async function insertVoidedKey(
  connection: Connection,
  { clientId, userScope, operation, key }: KeyName,
): Promise<void> {
  await runPrepared(connection, insertVoided, [clientId, userScope, operation, key]);
}

/**
 * A key of a client's, with what it stands for: a resource, or nothing for good since `voidedAt`. `userId` is null where the
 * operation is the client's own.
 */
export type ListedKey = {
  key: string;
  operation: string;
  userId: string | null;
  resourceId: string | null;
  createdAt: Date;
  voidedAt: Date | null;
};

// Of all clients. So many are read in a moment, and a client that has sent more than a page of them lately is busy.
const walkedMax = 1000;

/**
 * A client's newest keys, newest first. There is no index by client and age, because it would cost every booking: so the
 * newest keys of all clients are looked through first, and all that are kept of this client only when they are no page.
 */
export async function listIdempotencyKeys(
  db: Db,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<ListedKey[]> {
  const lately = sql`(select * from idempotency_keys order by created_real_at desc limit ${walkedMax}) k where k.client_id = ${clientId}`;
  const found = await selectNewestKeys(db, lately, limit);
  if (found.length === limit) return found;
  // By the primary key: without the offset PostgreSQL may take the index by age and walk past everybody's.
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

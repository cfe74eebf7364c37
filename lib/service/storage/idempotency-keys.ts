import { runPrepared } from "../../kit/postgres.ts";
import { type IdempotencyKey, type KeyLookup, type KeyName, nameOfKey, type StoredKey } from "../domain/idempotency.ts";
import type { Connection } from "./database.ts";

/** Locks the keys of a set in this transaction and reads them. Requests without a key are skipped. */
export async function lockAndReadKeys(
  connection: Connection,
  keys: readonly (KeyName | undefined)[],
): Promise<KeyLookup> {
  const requested = keys.filter((key) => key !== undefined);
  if (requested.length === 0) return { stored: new Map(), heldElsewhere: new Set() };
  const heldElsewhere = await lockIdempotencyKeys(connection, requested);
  // A separate statement after the locks, so that its snapshot contains what their last holders stored.
  const ours = requested.filter((key) => !heldElsewhere.has(nameOfKey(key)));
  return { stored: await findStoredKeys(connection, ours), heldElsewhere };
}

/** Locks keys until the transaction ends, without waiting. Returns the names of those that another transaction holds. */
export async function lockIdempotencyKeys(connection: Connection, keys: readonly KeyName[]): Promise<Set<string>> {
  const names = [...new Set(keys.map(nameOfKey))].sort();
  const rows = await runPrepared<{ name: string }>(connection, tryLocks, [names]);
  return new Set(rows.map(({ name }) => name));
}

/** Stored keys by name. */
async function findStoredKeys(connection: Connection, keys: readonly KeyName[]): Promise<Map<string, StoredKey>> {
  type Row = { name: string; isVoided: boolean; fingerprint: Buffer; resourceId: string };
  const rows = await runPrepared<Row>(connection, findStored, [
    keys.map(nameOfKey),
    keys.map(({ clientId }) => clientId),
    keys.map(({ userScope }) => userScope),
    keys.map(({ operation }) => operation),
    keys.map(({ key }) => key),
  ]);
  return new Map(rows.map(({ name, isVoided, ...stored }) => [name, isVoided ? "voided" : stored]));
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

const tryLocks = {
  name: "try_idempotency_key_locks",
  text: `
    select name from unnest($1::text[]) as requested (name)
    where not pg_try_advisory_xact_lock(hashtextextended(name, 0))`,
};

const findStored = {
  name: "find_stored_idempotency_keys",
  text: `
    select requested.name, k.fingerprint, k.resource_id as "resourceId", k.voided_real_at is not null as "isVoided"
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[])
      as requested (name, client_id, user_scope, operation, key)
    join idempotency_keys k on k.client_id = requested.client_id and k.user_scope = requested.user_scope
      and k.operation = requested.operation and k.key = requested.key`,
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

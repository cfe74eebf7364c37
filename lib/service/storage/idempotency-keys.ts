import { type IdempotencyKey, type KeptKey, nameOfKey } from "../domain/idempotency.ts";
import type { Connection } from "./database.ts";
import { runPrepared } from "./prepared.ts";

/**
 * Makes the transaction the only one that works on these keys, until it ends, and waits for none of them, so that no
 * other request is held up by somebody else's key. Returns the names of those that another transaction works on.
 */
export async function lockIdempotencyKeys(
  connection: Connection,
  keys: readonly IdempotencyKey[],
): Promise<Set<string>> {
  const names = [...new Set(keys.map(nameOfKey))].sort();
  const rows = await runPrepared<{ name: string }>(connection, tryLocks, [names]);
  return new Set(rows.map(({ name }) => name));
}

/** What locked keys stand for, by their names; of one that stands for nothing yet, no entry. */
export async function findKeptKeys(
  connection: Connection,
  keys: readonly IdempotencyKey[],
): Promise<Map<string, KeptKey>> {
  const rows = await runPrepared<KeptKey & { name: string }>(connection, findKept, [
    keys.map(nameOfKey),
    keys.map(({ clientId }) => clientId),
    keys.map(({ userScope }) => userScope),
    keys.map(({ operation }) => operation),
    keys.map(({ key }) => key),
  ]);
  return new Map(rows.map(({ name, ...kept }) => [name, kept]));
}

/** Keeps what a key stands for from now on, in the transaction that created it: never one without the other. */
export async function insertIdempotencyKey(
  connection: Connection,
  { clientId, userScope, operation, key, fingerprint }: IdempotencyKey,
  { resourceId }: { resourceId: string },
): Promise<void> {
  await runPrepared(connection, insertKey, [clientId, userScope, operation, key, fingerprint, resourceId]);
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
    select asked.name, k.fingerprint, k.resource_id as "resourceId"
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

import { keyedHash } from "../../kit/secrets.ts";
import { serviceConfig } from "../config.ts";
import {
  canonicalJson,
  type IdempotencyKey,
  judgeKey,
  type KeyName,
  type KeyVerdict,
  nameOfKey,
  type TakenKeys,
} from "../domain/idempotency.ts";
import { type Connection, inTransaction } from "../storage/database.ts";
import { findKeptKeys, insertVoidedKey, lockIdempotencyKeys } from "../storage/idempotency-keys.ts";
import { untilSettled } from "./run-set.ts";

/**
 * Takes the keys of a set for this transaction and finds what each stands for. Requests without a key are skipped.
 */
export async function takeKeys(connection: Connection, keys: readonly (KeyName | undefined)[]): Promise<TakenKeys> {
  const asked = keys.filter((key) => key !== undefined);
  if (asked.length === 0) return { kept: new Map(), heldElsewhere: new Set() };
  const heldElsewhere = await lockIdempotencyKeys(connection, asked);
  // After the keys are locked: a statement sees what was committed before it began, so this one sees what their last holder stored.
  const ours = asked.filter((key) => !heldElsewhere.has(nameOfKey(key)));
  return { kept: await findKeptKeys(connection, ours), heldElsewhere };
}

/**
 * What a key stands for, for a request that would be refused: a refusal says that nothing was created, so it is given only
 * where this is undefined. Waits for a first request that is still under way.
 */
export async function findReplay(key: IdempotencyKey): Promise<KeyVerdict | undefined> {
  const verdict = await untilSettled(() =>
    inTransaction(async (_tx, connection) => {
      return judgeKey(key, await takeKeys(connection, [key])) ?? { kind: "free" as const };
    }),
  );
  return verdict.kind === "free" ? undefined : verdict;
}

/**
 * Voids a key for good, unless it stands for something. Waits for a request under it that is still under way, so that one of
 * the two wins and both say which.
 */
export function voidKey(
  key: KeyName,
): Promise<{ kind: "voided" } | Extract<KeyVerdict, { kind: "replayed" | "idempotency_in_progress" }>> {
  return untilSettled(() =>
    inTransaction(async (_tx, connection) => {
      const { kept, heldElsewhere } = await takeKeys(connection, [key]);
      if (heldElsewhere.size > 0) return { kind: "idempotency_in_progress" as const };
      const first = kept.get(nameOfKey(key));
      if (first === undefined) await insertVoidedKey(connection, key);
      if (first === undefined || first === "voided") return { kind: "voided" as const };
      return { kind: "replayed" as const, resourceId: first.resourceId };
    }),
  );
}

/**
 * What a parsed body means, as 32 bytes: equal for two bodies that differ only in the order of fields, the spelling of
 * numbers or the case of an id. An HMAC under a
 * server key, because a body may hold an ssn, which a plain hash would give away (Decision D13).
 */
export function fingerprintOf(operation: string, body: unknown): Buffer {
  return keyedHash(serviceConfig().fingerprintKey, `${operation}:${canonicalJson(body)}`);
}

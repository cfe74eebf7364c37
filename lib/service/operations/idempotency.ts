import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../contract/limits.ts";
import { keyedHash } from "../../kit/secrets.ts";
import { serviceConfig } from "../config.ts";
import { type IdempotencyKey, judgeKey, type KeyVerdict, nameOfKey, type TakenKeys } from "../domain/idempotency.ts";
import { type Connection, inTransaction } from "../storage/database.ts";
import { findKeptKeys, lockIdempotencyKeys } from "../storage/idempotency-keys.ts";

/**
 * Takes the keys of a set for this transaction and tells what each stands for. Of a request without a key nothing is asked.
 */
export async function takeKeys(
  connection: Connection,
  keys: readonly (IdempotencyKey | undefined)[],
): Promise<TakenKeys> {
  const asked = keys.filter((key) => key !== undefined);
  if (asked.length === 0) return { kept: new Map(), heldElsewhere: new Set() };
  const heldElsewhere = await lockIdempotencyKeys(connection, asked);
  // Once the keys are ours: a statement's snapshot is as old as its start, so this one sees what their last holder kept.
  const ours = asked.filter((key) => !heldElsewhere.has(nameOfKey(key)));
  return { kept: await findKeptKeys(connection, ours), heldElsewhere };
}

/**
 * Makes attempts until one is neither `idempotency_in_progress` nor `busy`: what it waits for is under way in
 * another transaction. Gives up after 2 seconds with the last outcome. Decision D13
 */
export async function untilSettled<Outcome extends { kind: string }>(
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const giveUpAt = performance.now() + limits.idempotencyWaitMs;
  while (true) {
    const outcome = await attempt();
    const isWaiting = outcome.kind === "idempotency_in_progress" || outcome.kind === "busy";
    if (!isWaiting || performance.now() + retryMs > giveUpAt) return outcome;
    await delay(retryMs);
  }
}

const retryMs = 20;

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
 * What a parsed body means, as 32 bytes: equal for two bodies that differ only in the order of fields, the spelling of
 * numbers or the case of an id. An HMAC under a
 * server key, because a body may hold an ssn, which a plain hash would give away (Decision D13).
 */
export function fingerprintOf(operation: string, body: unknown): Buffer {
  return keyedHash(serviceConfig().fingerprintKey, `${operation}:${canonicalJson(body)}`);
}

const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "string" && uuidPattern.test(inner)) return inner.toLowerCase();
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}

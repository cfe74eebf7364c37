import { limits } from "../../contract/limits.ts";
import { keyedHash } from "../../kit/secrets.ts";
import { serviceConfig } from "../config.ts";
import { type Db, inTransaction } from "../storage/database.ts";
import {
  findStoredAnswer,
  type IdempotencyScope,
  insertStoredAnswer,
  lockIdempotencyKey,
} from "../storage/idempotency-keys.ts";

/** A success as it goes out and is stored: status, and body to the byte. */
export type Answer = { kind: "answered"; status: number; bodyText: string };

/** What became of a request that may be a repetition. */
export type IdempotentOutcome<Refused> =
  | (Answer & { isReplayed: boolean })
  | { kind: "idempotency_key_reused" }
  | { kind: "idempotency_in_progress" }
  | Refused;

/**
 * Does `work` in a transaction, at most once per key: a repetition with the same meaning gets the stored answer byte for
 * byte. Only an answer is stored, so a refusal does not burn the key. Without a key it just does the work. Decision D13
 */
export async function answerOnce<Refused extends { kind: string }>(
  scope: Omit<IdempotencyScope, "key"> & { key: string | undefined },
  body: unknown,
  work: (tx: Db) => Promise<Answer | Refused>,
): Promise<IdempotentOutcome<Refused>> {
  const { key } = scope;
  return inTransaction(async (tx) => {
    if (key === undefined) return asFirst(await work(tx));
    const keyed = { ...scope, key };
    if (!(await lockIdempotencyKey(tx, keyed, limits.idempotencyWaitMs))) return { kind: "idempotency_in_progress" };

    const fingerprint = fingerprintOf(scope.operation, body);
    const stored = await findStoredAnswer(tx, keyed);
    if (stored) {
      if (!stored.fingerprint.equals(fingerprint)) return { kind: "idempotency_key_reused" };
      return { kind: "answered", status: stored.responseStatus, bodyText: stored.responseBody, isReplayed: true };
    }
    const outcome = asFirst(await work(tx));
    if (isAnswer(outcome)) {
      const { status: responseStatus, bodyText: responseBody } = outcome;
      await insertStoredAnswer(tx, { ...keyed, fingerprint, responseStatus, responseBody });
    }
    return outcome;
  });
}

/**
 * What a parsed body means, as 32 bytes: equal for two bodies that differ only in spelling or order of keys. An HMAC under a
 * server key, because a body may hold an ssn, which a plain hash would give away (Decision D13).
 */
export function fingerprintOf(operation: string, body: unknown): Buffer {
  return keyedHash(serviceConfig().fingerprintKey, `${operation}:${canonicalJson(body)}`);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}

function asFirst<Refused extends { kind: string }>(
  outcome: Answer | Refused,
): (Answer & { isReplayed: boolean }) | Refused {
  return isAnswer(outcome) ? { ...outcome, isReplayed: false } : outcome;
}

function isAnswer(outcome: { kind: string }): outcome is Answer {
  return outcome.kind === "answered";
}

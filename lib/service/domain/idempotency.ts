import { keyedHash } from "../../kit/secrets.ts";

/** Decision D13 */
export type IdempotencyKey = {
  clientId: string;
  /** The user's id, or empty for a client-level operation. */
  userScope: string;
  operation: string;
  key: string;
  /** Equal for equivalent bodies. */
  fingerprint: Buffer;
};

export type KeyName = Omit<IdempotencyKey, "fingerprint">;

/** A stored key: its first request's fingerprint and resource, or voided for good. */
export type StoredKey = { fingerprint: Buffer; resourceId: string } | "voided";

/** Keyed by `nameOfKey`. Keys held elsewhere belong to requests in progress. */
export type KeyLookup = { stored: ReadonlyMap<string, StoredKey>; heldElsewhere: ReadonlySet<string> };

export type KeyVerdict =
  | { kind: "replayed"; resourceId: string }
  | { kind: "idempotency_key_reused" }
  | { kind: "idempotency_key_voided" }
  | { kind: "idempotency_in_progress" };

/** No part contains a space. */
export function nameOfKey({ clientId, userScope, operation, key }: KeyName): string {
  return `${clientId} ${userScope} ${operation} ${key}`;
}

/** Undefined for an unused key. */
export function judgeKey(key: IdempotencyKey, { stored, heldElsewhere }: KeyLookup): KeyVerdict | undefined {
  const name = nameOfKey(key);
  if (heldElsewhere.has(name)) return { kind: "idempotency_in_progress" };
  const first = stored.get(name);
  if (!first) return undefined;
  if (first === "voided") return { kind: "idempotency_key_voided" };
  if (!first.fingerprint.equals(key.fingerprint)) return { kind: "idempotency_key_reused" };
  return { kind: "replayed", resourceId: first.resourceId };
}

/** An HMAC, because the plain hash of an ssn could be reversed by trying them all. Decision D13 */
export function fingerprintOf(serverKey: string, operation: string, body: unknown): Buffer {
  return keyedHash(serverKey, `${operation}:${canonicalJson(body)}`);
}

const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Independent of field order, and of the case of the ids in the body's own fields. */
export function canonicalJson(body: unknown): string {
  const normalized = isObject(body) ? Object.fromEntries(Object.entries(body).map(inLowerCaseIfId)) : body;
  return JSON.stringify(normalized, (_key, inner: unknown) => {
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inLowerCaseIfId([field, value]: [string, unknown]): [string, unknown] {
  const isId = field.endsWith("_id") && typeof value === "string" && uuidPattern.test(value);
  return [field, isId ? value.toLowerCase() : value];
}

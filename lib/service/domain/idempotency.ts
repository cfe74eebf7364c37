/** An idempotency key with what it is unique within and what its request means. Decision D13 */
export type IdempotencyKey = {
  clientId: string;
  /** The user's id; the empty text where the operation is the client's own. */
  userScope: string;
  operation: string;
  key: string;
  /** Of the parsed body: equal for two bodies that mean the same. */
  fingerprint: Buffer;
};

/** A key with its scope: what it is found by. */
export type KeyName = Omit<IdempotencyKey, "fingerprint">;

/** What a key stands for: the request that it was first sent with and the resource that this request created, or nothing for good. */
export type KeptKey = { fingerprint: Buffer; resourceId: string } | "voided";

/** What the keys of a set stand for, by `nameOfKey`. Keys that are held elsewhere belong to requests that are still under way. */
export type TakenKeys = { kept: ReadonlyMap<string, KeptKey>; heldElsewhere: ReadonlySet<string> };

/** What a key tells about a request before anything else of it is checked. */
export type KeyVerdict =
  | { kind: "replayed"; resourceId: string }
  | { kind: "idempotency_key_reused" }
  | { kind: "idempotency_key_voided" }
  | { kind: "idempotency_in_progress" };

/** The key with its scope as one text; none of the parts holds a space. */
export function nameOfKey({ clientId, userScope, operation, key }: KeyName): string {
  return `${clientId} ${userScope} ${operation} ${key}`;
}

/** What a key stands for, or undefined while it stands for nothing. */
export function judgeKey(key: IdempotencyKey, { kept, heldElsewhere }: TakenKeys): KeyVerdict | undefined {
  const name = nameOfKey(key);
  if (heldElsewhere.has(name)) return { kind: "idempotency_in_progress" };
  const first = kept.get(name);
  if (!first) return undefined;
  if (first === "voided") return { kind: "idempotency_key_voided" };
  if (!first.fingerprint.equals(key.fingerprint)) return { kind: "idempotency_key_reused" };
  return { kind: "replayed", resourceId: first.resourceId };
}

const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** JSON that is the same for two values that mean the same: whatever the order of their fields and the case of their UUIDs. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "string" && uuidPattern.test(inner)) return inner.toLowerCase();
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}

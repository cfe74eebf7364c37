import { type IdempotencyKey, judgeKey, type KeyName, type KeyVerdict, nameOfKey } from "../domain/idempotency.ts";
import { inTransaction } from "../storage/database.ts";
import { insertVoidedKey, lockAndReadKeys } from "../storage/idempotency-keys.ts";
import { untilSettled } from "./run-set.ts";

/**
 * A key's verdict, to check before refusing a request, because a refusal says that nothing was created. Waits for a first
 * request in progress. Undefined for an unused key.
 */
export async function findReplay(key: IdempotencyKey): Promise<KeyVerdict | undefined> {
  const verdict = await untilSettled(() =>
    inTransaction(async (_tx, connection) => {
      return judgeKey(key, await lockAndReadKeys(connection, [key])) ?? { kind: "free" as const };
    }),
  );
  return verdict.kind === "free" ? undefined : verdict;
}

/** Voids a key for good unless it has a resource. Waits for a request in progress, so that only one of the two wins. */
export function voidKey(
  key: KeyName,
): Promise<{ kind: "voided" } | Extract<KeyVerdict, { kind: "replayed" | "idempotency_in_progress" }>> {
  return untilSettled(() =>
    inTransaction(async (_tx, connection) => {
      const { stored, heldElsewhere } = await lockAndReadKeys(connection, [key]);
      if (heldElsewhere.size > 0) return { kind: "idempotency_in_progress" as const };
      const first = stored.get(nameOfKey(key));
      if (first === undefined) await insertVoidedKey(connection, key);
      if (first === undefined || first === "voided") return { kind: "voided" as const };
      return { kind: "replayed" as const, resourceId: first.resourceId };
    }),
  );
}

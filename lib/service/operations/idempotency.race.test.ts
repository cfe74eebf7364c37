import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { inTransaction } from "../storage/database.ts";
import { insertIdempotencyKey, lockIdempotencyKeys } from "../storage/idempotency-keys.ts";
import { createTestClient } from "../testing/clients.ts";
import { voidKey } from "./idempotency.ts";

test("voiding a key conflicts with its request in progress, and then returns that request's result", async () => {
  const { clientId } = await createTestClient();
  const key = { clientId, userScope: "", operation: "createBookRoutine", key: randomUUID() };
  const resourceId = randomUUID();
  const early = await inTransaction(async (_tx, connection) => {
    await lockIdempotencyKeys(connection, [key]);
    const outcome = await voidKey(key);
    await insertIdempotencyKey(connection, { ...key, fingerprint: Buffer.alloc(32) }, { resourceId });
    return outcome;
  });
  expect(early).toEqual({ kind: "idempotency_in_progress" });
  expect(await voidKey(key)).toEqual({ kind: "replayed", resourceId });
});

import { expect, test } from "vitest";
import { newPhone } from "../../../kit/testing/phones.ts";
import { inTransaction } from "../../storage/database.ts";
import { lockIdempotencyKeys } from "../../storage/idempotency-keys.ts";
import { createTestClient } from "../../testing/clients.ts";
import { personDetails } from "../../testing/people.ts";

// An impatient client that sends the same request a hundred times registers one person.
test("a hundred concurrent posts with one key create one intent and get the same response", async () => {
  const client = await createTestClient();
  const body = personDetails({ phone: newPhone() });
  const headers = { "idempotency-key": "0198c0de-0000-4000-8000-0000000000aa" };
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => client.call("POST", "/v1/user_intent", { body, headers })),
  );
  const created = answers.filter(({ status }) => status === 201);
  const waiting = answers.filter(({ status }) => status === 409);
  expect(created.length + waiting.length).toBe(100);
  expect(created.filter((answer) => answer.headers.get("idempotent-replayed") === null)).toHaveLength(1);
  expect(new Set(created.map(({ text }) => text)).size).toBe(1);
  const list = await client.call("GET", "/sandbox/user_intents");
  expect(list.json["user_intents"]).toHaveLength(1);
});

test("a repeat gets idempotency_in_progress after 2 s, and the key stays usable", async () => {
  const client = await createTestClient();
  const key = "0198c0de-0000-4000-8000-0000000000ab";
  const post = () =>
    client.call("POST", "/v1/user_intent", {
      body: personDetails({ phone: newPhone() }),
      headers: { "idempotency-key": key },
    });
  const scope = { clientId: client.clientId, userScope: "", operation: "createUserIntent", key };
  const startedAt = performance.now();
  const waiting = await inTransaction(async (_tx, connection) => {
    await lockIdempotencyKeys(connection, [scope]);
    return post();
  });
  expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  expect(waiting.status).toBe(409);
  expect(waiting.json["reason"]).toBe("idempotency_in_progress");
  expect((await post()).status).toBe(201);
});

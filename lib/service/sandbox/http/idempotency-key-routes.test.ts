import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { idempotencyKeyList } from "../../../contract/sandbox.ts";
import { eventPage } from "../../../contract/sandbox-events.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { database } from "../../storage/database.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { personDetails } from "../../testing/people.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { listIdempotencyKeys } from "../storage/idempotency-keys.ts";

describe("GET /sandbox/idempotency_keys", () => {
  test("200: newest first, each with its result and its fingerprint in events", async () => {
    const client = await createClientWithSeller();
    const [first, second] = [randomUUID(), randomUUID()];
    const intent = await create(client, first);
    const body = { name: "Payment", amount: 12.5, source_id: client.operatingId, destination_id: client.walletId };
    const headers = { "idempotency-key": `"${second.toUpperCase()}"` };
    const routine = await client.call("POST", "/v1/routines/book", { bearer: client.businessToken, body, headers });
    // Refused requests leave nothing behind.
    await client.call("POST", "/v1/user_intent", { body: {}, headers: { "idempotency-key": randomUUID() } });
    const keys = await keysOf(client);
    expect(keys).toMatchObject([
      {
        key: second,
        operation: "createBookRoutine",
        user_id: client.businessUserId,
        resource_id: routine.json["id"],
      },
      { key: first, operation: "createUserIntent", user_id: null, resource_id: intent.json["id"] },
    ]);
    const { json } = await client.call("GET", "/sandbox/events?kind=call");
    const shown = eventPage.parse(json).events.map((event) => event.kind === "call" && event.facts.idempotency_key);
    expect(keys.map(({ fingerprint }) => fingerprint)).toEqual([shown[1], shown[0]]);
  });

  test("200: a voided key has no result, but a time", async () => {
    const client = await createClientWithSeller();
    const key = randomUUID();
    const headers = { "idempotency-key": key };
    await client.call("POST", "/v1/routines/book/void", { bearer: client.businessToken, headers });
    const [listed] = await keysOf(client);
    expect(listed).toMatchObject({ key, operation: "createBookRoutine", resource_id: null });
    expect(listed?.voided_at).toBe(listed?.created_at);
    const { json } = await client.call("GET", "/sandbox/events?kind=call");
    const [call] = eventPage.parse(json).events;
    expect(call).toMatchObject({ facts: { idempotency_key: listed?.fingerprint } });
    expect(JSON.stringify(call)).not.toContain(key);
  });

  test("200: none of another client", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await create(otherClient, randomUUID());
    expect(await keysOf(client)).toEqual([]);
    expect(await keysOf(otherClient)).toHaveLength(1);
  });

  test("a client's newest keys are found among others' keys", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const keys = [randomUUID(), randomUUID(), randomUUID()];
    for (const key of keys) await create(client, key);
    for (let round = 0; round < 3; round++) await create(otherClient, randomUUID());
    const listed = await listIdempotencyKeys(database(), { clientId: client.clientId, limit: 2 });
    expect(listed.map(({ key }) => key)).toEqual([keys[2], keys[1]]);
  });

  test("401: without credentials", async () => {
    const { call } = await createTestClient();
    expect((await call("GET", "/sandbox/idempotency_keys", { authorization: null })).status).toBe(401);
  });
});

function create({ call }: TestClient, key: string) {
  const body = personDetails({ phone: newPhone() });
  return call("POST", "/v1/user_intent", { body, headers: { "idempotency-key": key } });
}

async function keysOf({ call }: TestClient) {
  const { status, json } = await call("GET", "/sandbox/idempotency_keys");
  expect(status).toBe(200);
  return idempotencyKeyList.parse(json).idempotency_keys;
}

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newPhone } from "../../kit/testing/phones.ts";
import type { WakeLoop } from "../../kit/wake-loop.ts";
import { serviceConfig } from "../config.ts";
import { convertUserIntent } from "../operations/people/convert-user-intent.ts";
import { applyScreening } from "../operations/people/decide-person.ts";
import { database, inTransaction, servicePool } from "../storage/database.ts";
import { userIntents } from "../storage/schema.ts";
import { advanceClock, createTestClient, type TestClient } from "../testing/clients.ts";
import { bodiesOf } from "../testing/deliveries.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { createIntent, personDetails } from "../testing/people.ts";
import { quarantined } from "../testing/quarantine.ts";
import { startScreening } from "./start-workers.ts";

let screening: WakeLoop;
beforeAll(async () => {
  screening = startScreening();
});
afterAll(() => screening.stop());

test.each([
  ["123450001", "rejected"],
  ["0001", "rejected"],
  ["123450003", "retry"],
  ["123450004", "document"],
  ["123456789", "approved"],
])("an ssn %s is %s, by the client's clock", async (ssn, status) => {
  const client = await createTestClient();
  const { id } = await createIntent(client, personDetails({ phone: newPhone(), ssn }));
  await pass(client);
  await becomes(client, id, status);
  const announced = status === "approved" || status === "rejected";
  expect(await bodiesOf(client)).toHaveLength(announced ? 1 : 0);
});

test("a rejected person is given a reason", async () => {
  const client = await createTestClient();
  const { id } = await createIntent(client, personDetails({ phone: newPhone(), ssn: "0001" }));
  await pass(client);
  await becomes(client, id, "rejected");
  const { json } = await client.call("GET", `/v1/user_intent/${id}`);
  expect(json["rejection_reasons"]).toMatchObject([{ code: "identity_not_verified" }]);
});

test("an ssn ending in 0002 waits for a manual decision", async () => {
  const client = await createTestClient();
  const waiting = await createIntent(client, personDetails({ phone: newPhone(), ssn: "0002" }));
  const otherIntent = await createIntent(client, personDetails({ phone: newPhone() }));
  await pass(client);
  await becomes(client, otherIntent.id, "approved");
  expect((await client.call("GET", `/v1/user_intent/${waiting.id}`)).json["status"]).toBe("pending");
});

test.each([
  ["123456789", "approved", []],
  ["123450001", "rejected", [{ code: "identity_not_verified" }]],
])(
  "a decision after the conversion (ssn %s) is announced for the intent and the user, and both are %s",
  async (ssn, status, rejection_reasons) => {
    const client = await createTestClient();
    const metadata = { customer: "c-1" };
    const { id } = await createIntent(client, personDetails({ phone: newPhone(), ssn, metadata }));
    const conversion = await inTransaction((tx) => convertUserIntent(tx, id));
    if (conversion.kind !== "user") throw new Error(conversion.kind);
    const { id: user_id } = conversion.user;
    expect(conversion.user.status).toBe("pending");
    await pass(client);
    await expect
      .poll(() => bodiesOf(client))
      .toMatchObject([
        { webhook_type: "user_intent_updated", user_id, resource_id: id, metadata },
        { webhook_type: "user_updated", user_id, resource_id: user_id, metadata },
      ]);
    const kyc_type = status === "approved" ? "verified" : "unverified";
    const decided = { status, kyc_type, rejection_reasons };
    expect((await client.call("GET", `/v1/user_intent/${id}`)).json).toMatchObject({ ...decided, user_id });
    const { users } = (await client.call("GET", "/sandbox/users")).json as { users: { id: string }[] };
    expect(users.find((user) => user.id === user_id)).toMatchObject(decided);
  },
);

test("only one of twenty processes with the same screening decides it, and announces it once", async () => {
  const client = await createTestClient();
  const { id } = await createIntent(client);
  const decision = { status: "approved" as const, rejectionReasons: [] };
  await Promise.all(Array.from({ length: 20 }, () => applyScreening({ userIntentId: id }, decision)));
  expect(await bodiesOf(client)).toHaveLength(1);
});

test("an intent that can't be decrypted doesn't delay others, is quarantined and counted, and can be decided manually", async () => {
  const client = await createTestClient();
  const [broken, sound] = [await createIntent(client), await createIntent(client)];
  await database().update(userIntents).set({ identityEncrypted: "" }).where(eq(userIntents.id, broken.id));
  await pass(client);
  await becomes(client, sound.id, "approved");
  await expect.poll(() => quarantined("screening")).toBe(1);
  expect((await client.call("GET", `/v1/user_intent/${broken.id}`)).json["status"]).toBe("pending");
  await client.call("POST", `/sandbox/user_intents/${broken.id}/status`, { body: { status: "approved" } });
  expect(await quarantined("screening")).toBe(0);
});

test("a broken connection doesn't quarantine the row: its screening is retried at once", async () => {
  const client = await createTestClient();
  const { id } = await createIntent(client);
  const held = await holdRows("select id from user_intents where id = $1 for update", [id]);
  await pass(client);
  await held.waiters(1);
  const isWaiting = "datname = current_database() and wait_event_type = 'Lock'";
  await servicePool().query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${isWaiting}`);
  await held.waiters(1);
  expect(await quarantined("screening")).toBe(0);
  await held.release();
  await becomes(client, id, "approved");
});

test("a manual decision cancels the screening", async () => {
  const client = await createTestClient();
  const { id } = await createIntent(client);
  await client.call("POST", `/sandbox/user_intents/${id}/status`, { body: { status: "document" } });
  await applyScreening({ userIntentId: id }, { status: "approved", rejectionReasons: [] });
  expect((await client.call("GET", `/v1/user_intent/${id}`)).json["status"]).toBe("document");
});

test("a user whom an operator asks for a correction keeps that status, and the intent stays converted", async () => {
  const client = await createTestClient();
  const { id } = await createIntent(client);
  const conversion = await inTransaction((tx) => convertUserIntent(tx, id));
  const userId = conversion.kind === "user" ? conversion.user.id : "";
  await client.call("POST", `/sandbox/users/${userId}/status`, { body: { status: "retry" } });
  const decision = { status: "approved" as const, rejectionReasons: [] };
  expect(await applyScreening({ userIntentId: id }, decision)).toBe("too_late");
  const { users } = (await client.call("GET", "/sandbox/users")).json as { users: { id: string }[] };
  expect(users.find((user) => user.id === userId)).toMatchObject({ status: "retry" });
  expect((await client.call("GET", `/v1/user_intent/${id}`)).json["status"]).toBe("converted_to_user");
});

async function pass(client: TestClient): Promise<void> {
  await advanceClock(client, serviceConfig().screeningDelayMs / 1000);
  screening.wake();
}

function becomes(client: TestClient, id: string, status: string): Promise<void> {
  return expect.poll(async () => (await client.call("GET", `/v1/user_intent/${id}`)).json["status"]).toBe(status);
}

import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { newPhone } from "../../../kit/testing/phones.ts";
import { listAccounts } from "../../storage/accounts.ts";
import { database, inTransaction, servicePool } from "../../storage/database.ts";
import { deliveries, userIntents, users } from "../../storage/schema.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { bodiesOf } from "../../testing/deliveries.ts";
import { createIntent, insertTestIntent, personDetails } from "../../testing/people.ts";
import { convertUserIntent } from "./convert-user-intent.ts";
import { applyScreening, decideUser, decideUserIntent } from "./decide-person.ts";

describe("the user of a converted intent", () => {
  test("has the intent's person, metadata, status and reasons", async () => {
    const client = await createTestClient();
    const details = personDetails({ phone: newPhone(), metadata: { a: "b" } });
    const { id } = await createIntent(client, details);
    const rejectionReasons = [{ code: "identity_not_verified", message: "It could not be verified." }];
    await decide(client, id, "rejected", rejectionReasons);
    const user = await convert(id);
    expect(user).toMatchObject({
      clientId: client.clientId,
      userType: "personal",
      status: "rejected",
      firstName: details.first_name,
      email: details.email,
      phone: details.phone,
      metadata: { a: "b" },
      rejectionReasons,
    });
    expect(await listAccounts(database(), user.id)).toEqual([]);
  });

  test("has a wallet as soon as it is approved: at conversion, or by the decision that follows", async () => {
    const client = await createTestClient();
    const [before, after] = [await createIntent(client), await createIntent(client)];
    await decide(client, before.id, "approved");
    const approved = await convert(before.id);
    const pending = await convert(after.id);
    expect(await listAccounts(database(), approved.id)).toMatchObject([{ type: "wallet", balanceCents: 0 }]);
    expect(await listAccounts(database(), pending.id)).toEqual([]);
    await applyScreening({ userIntentId: after.id }, { status: "approved", rejectionReasons: [] });
    expect(await listAccounts(database(), pending.id)).toMatchObject([{ type: "wallet" }]);
  });

  test("is the same after repeated and concurrent conversions", async () => {
    const client = await createTestClient();
    const { id } = await createIntent(client);
    await decide(client, id, "approved");
    const users = await Promise.all(Array.from({ length: 20 }, () => convert(id)));
    expect(new Set(users.map((user) => user.id)).size).toBe(1);
    expect(await listAccounts(database(), users[0]?.id ?? "")).toHaveLength(1);
  });
});

describe("a phone belongs to one user per client", () => {
  test("a second intent with the same phone and email joins the existing user, whose status stays", async () => {
    const client = await createTestClient();
    const phone = newPhone();
    const first = await createIntent(client, personDetails({ phone }));
    const second = await createIntent(client, personDetails({ phone, email: "GRACE@example.com" }));
    const user = await convert(first.id);
    const repeated = await convert(second.id);
    expect(repeated).toEqual({ ...user, updatedAt: repeated.updatedAt });
    // Nothing is left to decide for the second.
    await applyScreening({ userIntentId: second.id }, { status: "rejected", rejectionReasons: [] });
    expect(await convert(first.id)).toMatchObject({ status: "pending", metadata: null });
  });

  test("a user's record and webhooks have the metadata of all their intents, with the newest value of each key", async () => {
    const client = await createTestClient();
    const phone = newPhone();
    const given: (Record<string, string> | undefined)[] = [{ a: "1", b: "1" }, undefined, { b: "2", c: "2" }];
    const intents: { id: string }[] = [];
    for (const metadata of given)
      intents.push(await createIntent(client, personDetails({ phone, ...(metadata && { metadata }) })));
    const merged = { a: "1", b: "2", c: "2" };
    // In any order of conversion.
    for (const { id } of intents.toReversed()) await convert(id);
    const { id } = await convert(intents[0]?.id ?? "");
    const { users } = (await client.call("GET", "/sandbox/users")).json as { users: { id: string }[] };
    expect(users.find((user) => user.id === id)).toMatchObject({ metadata: merged });
    const decision = { status: "approved" as const, rejectionReasons: [] };
    await decideUser({ id, clientId: client.clientId, traceId: "a".repeat(32) }, decision);
    expect(await bodiesOf(client)).toContainEqual(
      expect.objectContaining({ webhook_type: "user_updated", resource_id: id, metadata: merged }),
    );
    const ofFirst = { webhook_type: "user_intent_updated", resource_id: intents[0]?.id, metadata: given[0] };
    expect(await bodiesOf(client)).toContainEqual(expect.objectContaining(ofFirst));
  });

  // Whichever comes first, there is one decision, and every intent of the person shows it.
  test("a decision about a user decides all their intents and sends one webhook for each, in a race too", async () => {
    const client = await createTestClient();
    const details = personDetails({ phone: newPhone() });
    const intents = await Promise.all(Array.from({ length: 3 }, () => createIntent(client, details)));
    for (const { id } of intents) await convert(id);
    const { id: userId } = await convert(intents[0]?.id ?? "");
    const traceId = "a".repeat(32);
    const decision = { status: "approved" as const, rejectionReasons: [] };
    const outcomes = await Promise.all([
      ...intents.map(({ id }) => decideUserIntent({ id, clientId: client.clientId }, decision)),
      ...intents.map(() => decideUser({ id: userId, clientId: client.clientId, traceId }, decision)),
      ...intents.map(({ id }) => applyScreening({ userIntentId: id }, decision)),
    ]);
    expect(
      outcomes.filter((outcome) => typeof outcome === "object" && outcome.kind === "decided").length,
    ).toBeLessThanOrEqual(1);
    for (const { id } of intents) {
      expect((await client.call("GET", `/v1/user_intent/${id}`)).json["status"]).toBe("approved");
    }
    const bodies = (await bodiesOf(client)) as { resource_id: string }[];
    const announced = bodies.map(({ resource_id }) => resource_id).sort();
    expect(announced).toEqual([...intents.map(({ id }) => id), userId].sort());
  });

  test("an intent decided before it joins an undecided user isn't decided again with it", async () => {
    const client = await createTestClient();
    const details = personDetails({ phone: newPhone() });
    const [first, second] = [await createIntent(client, details), await createIntent(client, details)];
    await decide(client, second.id, "approved");
    const user = await convert(first.id);
    expect(await convert(second.id)).toMatchObject({ id: user.id, status: "pending" });
    const decision = { status: "rejected" as const, rejectionReasons: [] };
    await decideUser({ id: user.id, clientId: client.clientId, traceId: "a".repeat(32) }, decision);
    const statusOf = async ({ id }: { id: string }) =>
      (await client.call("GET", `/v1/user_intent/${id}`)).json["status"];
    expect([await statusOf(first), await statusOf(second)]).toEqual(["rejected", "converted_to_user"]);
    const announced = (await bodiesOf(client)) as { resource_id: string }[];
    expect(announced.map(({ resource_id }) => resource_id).sort()).toEqual([first.id, second.id, user.id].sort());
  });

  test("a second intent with another email is phone_taken and unchanged", async () => {
    const client = await createTestClient();
    const phone = newPhone();
    const first = await createIntent(client, personDetails({ phone }));
    const second = await createIntent(client, personDetails({ phone, email: "other@example.com" }));
    await convert(first.id);
    expect(await inTransaction((tx) => convertUserIntent(tx, second.id))).toEqual({ kind: "phone_taken" });
    expect((await client.call("GET", `/v1/user_intent/${second.id}`)).json["status"]).toBe("pending");
  });

  test("an intent with the business's phone and email is phone_taken and gives no access to the business", async () => {
    const client = await createTestClient();
    const [business] = await database().select().from(users).where(eq(users.id, client.businessUserId));
    const details = personDetails({ phone: client.businessUserPhone, email: business?.email ?? "" });
    const { id } = await createIntent(client, details);
    expect(await inTransaction((tx) => convertUserIntent(tx, id))).toEqual({ kind: "phone_taken" });
  });

  test("intents of one person that convert concurrently become one user with merged metadata", async () => {
    const client = await createTestClient();
    const phone = newPhone();
    const intents: { id: string }[] = [];
    for (const n of "12345678") {
      intents.push(await createIntent(client, personDetails({ phone, metadata: { [`k${n}`]: n, newest: n } })));
    }
    const users = await Promise.all(intents.map(({ id }) => convert(id)));
    expect(new Set(users.map(({ id }) => id)).size).toBe(1);
    const pairs = [..."12345678"].map((n) => [`k${n}`, n]);
    expect((await convert(intents[0]?.id ?? "")).metadata).toEqual({ ...Object.fromEntries(pairs), newest: "8" });
  });

  test("another client's user with the same phone does not count", async () => {
    const [firstClient, secondClient] = [await createTestClient(), await createTestClient()];
    const details = personDetails({ phone: newPhone() });
    const [firstIntent, secondIntent] = [
      await createIntent(firstClient, details),
      await createIntent(secondClient, details),
    ];
    expect((await convert(firstIntent.id)).id).not.toBe((await convert(secondIntent.id)).id);
  });
});

async function convert(userIntentId: string) {
  const conversion = await inTransaction((tx) => convertUserIntent(tx, userIntentId));
  if (conversion.kind !== "user") throw new Error(conversion.kind);
  return conversion.user;
}

async function decide(
  { clientId }: TestClient,
  id: string,
  status: "approved" | "rejected",
  rejectionReasons: { code: string; message: string }[] = [],
) {
  expect(await decideUserIntent({ id, clientId }, { status, rejectionReasons })).toMatchObject({ kind: "decided" });
}

test("a decision about an intent that concurrently joins a user decides the user's other intents too", async () => {
  const client = await createTestClient();
  const { userIntentId: first = "", phone, email } = await insertTestIntent(client, { status: "pending" });
  await convert(first);
  const { userIntentId: id = "" } = await insertTestIntent(client, { status: "pending", phone, email });
  let deciding: Promise<unknown> | undefined;
  await inTransaction(async (tx) => {
    await convertUserIntent(tx, id);
    deciding ??= decideUserIntent({ id, clientId: client.clientId }, { status: "approved", rejectionReasons: [] });
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await expect.poll(async () => (await servicePool().query(waiting)).rowCount).toBe(1);
  });
  expect(await deciding).toEqual({ kind: "decided" });
  const rows = await database().select().from(userIntents).where(eq(userIntents.phone, phone));
  expect(rows.map(({ status }) => status)).toEqual(["approved", "approved"]);
});

test("a decision about a user decides an intent that is just joining that user, and announces it", async () => {
  const client = await createTestClient();
  const { clientId } = client;
  const { userIntentId: first = "", phone, email } = await insertTestIntent(client, { status: "pending" });
  const { id: userId } = await convert(first);
  const { userIntentId: joining = "" } = await insertTestIntent(client, { status: "pending", phone, email });
  let deciding: Promise<unknown> | undefined;
  await inTransaction(async (tx) => {
    await convertUserIntent(tx, joining);
    const decision = { status: "approved" as const, rejectionReasons: [] };
    deciding ??= decideUser({ id: userId, clientId, traceId: "a".repeat(32) }, decision);
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await expect.poll(async () => (await servicePool().query(waiting)).rowCount).toBe(1);
  });
  expect(await deciding).toMatchObject({ kind: "decided" });
  const rows = await database().select().from(userIntents).where(eq(userIntents.phone, phone));
  expect(rows.map(({ status }) => status)).toEqual(["approved", "approved"]);
  const announced = (await bodiesOf(client)) as { resource_id: string }[];
  expect(announced.map(({ resource_id }) => resource_id).sort()).toEqual([first, joining, userId].sort());
});

test("a decision's webhooks carry the trace of the request that created the intent", async () => {
  const client = await createTestClient();
  const expected: [string, string][] = [];
  for (const [index, decideBy] of ["operator", "screening"].entries()) {
    const trace = String(index + 1).repeat(32);
    const headers = { traceparent: `00-${trace}-${"cd".repeat(8)}-01` };
    const body = personDetails({ phone: newPhone() });
    const id = String((await client.call("POST", "/v1/user_intent", { body, headers })).json["id"]);
    const user = await convert(id);
    const decision = { status: "approved" as const, rejectionReasons: [] };
    if (decideBy === "operator") await decideUserIntent({ id, clientId: client.clientId }, decision);
    else await applyScreening({ userIntentId: id }, decision);
    expected.push([id, trace], [user.id, trace]);
  }
  const rows = await database().select().from(deliveries).where(eq(deliveries.clientId, client.clientId));
  expect(rows.map(({ resourceId, traceId }) => [resourceId, traceId]).toSorted()).toEqual(expected.toSorted());
});

import { describe, expect, test } from "vitest";
import { sandboxClient } from "../../../contract/sandbox.ts";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { convertUserIntent } from "../../operations/people/convert-user-intent.ts";
import { applyScreening } from "../../operations/people/decide-person.ts";
import { database, inTransaction } from "../../storage/database.ts";
import { findUser } from "../../storage/people.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { bodiesOf } from "../../testing/deliveries.ts";
import { createIntent, personDetails } from "../../testing/people.ts";

const unknownId = "0198c0de-0000-7000-8000-000000000000";

describe("POST /sandbox/clients", () => {
  test("201: a working client with an approved business user", async () => {
    const answer = await (await createTestClient()).call("POST", "/sandbox/clients");
    expect(answer.status).toBe(201);
    const fresh = sandboxClient.parse(answer.json);
    const authorization = basicCredentials(fresh.client_id, fresh.client_secret);
    const users = await (await createTestClient()).call("GET", "/sandbox/users", { authorization });
    expect(users.json["users"]).toMatchObject([
      { id: fresh.business_user_id, phone: fresh.business_user_phone, user_type: "business", status: "approved" },
    ]);
    const user = await findUser(database(), { id: fresh.business_user_id, clientId: fresh.client_id });
    expect(user?.businessProfileId).toBe(fresh.business_profile_id);
  });

  test("201: with trusted authentication, 25,000.00 in its account, and its own clock", async () => {
    const caller = await createTestClient();
    await caller.call("POST", "/sandbox/clock/advance", { body: { seconds: 3600 } });
    const fresh = sandboxClient.parse((await caller.call("POST", "/sandbox/clients")).json);
    const authorization = basicCredentials(fresh.client_id, fresh.client_secret);
    const settings = await caller.call("PUT", "/sandbox/client", { authorization, body: {} });
    expect(settings.json["trusted_authentication"]).toBe(true);
    const ledger = await caller.call("GET", "/sandbox/ledger", { authorization });
    expect(ledger.json["accounts"]).toContainEqual(
      expect.objectContaining({ user_id: fresh.business_user_id, type: "operating", current_balance: 25_000 }),
    );
    const clock = await caller.call("GET", "/sandbox/clock", { authorization });
    expect(clock.json["offset_seconds"]).toBe(0);
  });

  test("201: clients share nothing", async () => {
    const caller = await createTestClient();
    const [first, second] = await Promise.all([
      caller.call("POST", "/sandbox/clients"),
      caller.call("POST", "/sandbox/clients"),
    ]);
    for (const [name, value] of Object.entries(first.json)) {
      if (name !== "provider" && name !== "business_user_phone") expect(second.json[name]).not.toBe(value);
    }
  });

  test("401: without credentials", async () => {
    const answer = await (await createTestClient()).call("POST", "/sandbox/clients", { authorization: null });
    expect(answer.status).toBe(401);
  });
});

describe("GET /sandbox/client", () => {
  test("200: this client's current settings", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const customers_url = "http://localhost:3000";
    await client.call("PUT", "/sandbox/client", { body: { trusted_authentication: false, customers_url } });
    const answer = await client.call("GET", "/sandbox/client");
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        client_id: client.clientId,
        trusted_authentication: false,
        redirect_uris: [client.redirectUri],
        customers_url,
        provider: client.provider,
      },
    ]);
    expect((await otherClient.call("GET", "/sandbox/client")).json).toMatchObject({
      client_id: otherClient.clientId,
      trusted_authentication: true,
      customers_url: null,
    });
    expect((await client.call("GET", "/sandbox/client", { authorization: null })).status).toBe(401);
  });
});

describe("PUT /sandbox/client", () => {
  test("200: changes only the given settings", async () => {
    const client = await createTestClient();
    const redirect_uris = ["http://localhost:3000/callback?a=b"];
    const customers_url = "http://localhost:3000";
    const settings = { redirect_uris, provider: "harbor", customers_url };
    const first = await client.call("PUT", "/sandbox/client", { body: settings });
    expect(first.status).toBe(200);
    const second = await client.call("PUT", "/sandbox/client", { body: { trusted_authentication: false } });
    expect(second.json).toEqual({
      client_id: client.clientId,
      trusted_authentication: false,
      redirect_uris,
      customers_url,
      provider: "harbor",
    });
  });

  test.each([
    { redirect_uris: ["http://localhost:3000/#fragment"] },
    { redirect_uris: ["/callback"] },
    { customers_url: "ftp://partner.example" },
    { business_profile_id: unknownId },
    { provider: "" },
  ])("400: %j", async (body) => {
    expect((await (await createTestClient()).call("PUT", "/sandbox/client", { body })).status).toBe(400);
  });
});

describe("PUT /sandbox/webhook_endpoint", () => {
  test.each(["nowhere", "file:///etc/passwd", ""])("400: %j isn't a webhook URL", async (url) => {
    const client = await createTestClient();
    expect((await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url } })).status).toBe(400);
  });
});

describe("POST /sandbox/user_intents/{id}/status", () => {
  test("200: a rejection carries its reasons and is announced, once", async () => {
    const client = await createTestClient();
    const { id } = await createIntent(client);
    const rejection_reasons = [{ code: "document_unreadable", message: "The photo could not be read." }];
    const answer = await decideIntent(client, id, { status: "rejected", rejection_reasons });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ id, status: "rejected", rejection_reasons, kyc_type: "unverified" });
    expect(await bodiesOf(client)).toMatchObject([
      { webhook_type: "user_intent_updated", user_id: id, resource_id: id },
    ]);
  });

  test.each(["approved", "rejected"])(
    "200: %s is announced with the metadata that was supplied, if any",
    async (status) => {
      const client = await createTestClient();
      const metadata = { order: "7" };
      const withMetadata = await createIntent(client, personDetails({ phone: newPhone(), metadata }));
      const without = await createIntent(client);
      for (const { id } of [withMetadata, without]) await decideIntent(client, id, { status });
      const event = { webhook_type: "user_intent_updated", webhook_id: expect.any(String) };
      const bodies = await bodiesOf(client);
      expect(bodies).toEqual([
        { ...event, user_id: withMetadata.id, resource_id: withMetadata.id, metadata },
        { ...event, user_id: without.id, resource_id: without.id },
      ]);
    },
  );

  test("200: retry and document send no webhook", async () => {
    const client = await createTestClient();
    const { id } = await createIntent(client);
    expect((await decideIntent(client, id, { status: "retry" })).status).toBe(200);
    expect((await decideIntent(client, id, { status: "document" })).status).toBe(200);
    expect(await bodiesOf(client)).toEqual([]);
    expect((await decideIntent(client, id, { status: "approved" })).json["kyc_type"]).toBe("verified");
    expect(await bodiesOf(client)).toHaveLength(1);
  });

  test("400: reasons without a rejection, and an unknown status", async () => {
    const client = await createTestClient();
    const { id } = await createIntent(client);
    const reasons = [{ code: "a", message: "b" }];
    expect((await decideIntent(client, id, { status: "approved", rejection_reasons: reasons })).status).toBe(400);
    expect((await decideIntent(client, id, { status: "suspended" })).status).toBe(400);
  });

  test.each([
    ["approved", "rejected"],
    ["rejected", "approved"],
    ["retry", "retry"],
    ["document", "retry"],
    ["approved", "converted_to_user"],
    ["retry", "pending"],
  ])("409: %s can't become %s, and sends no webhook", async (first, second) => {
    const client = await createTestClient();
    const { id } = await createIntent(client);
    await decideIntent(client, id, { status: first });
    const before = await bodiesOf(client);
    const answer = await decideIntent(client, id, { status: second });
    expect(answer.status).toBe(409);
    expect(answer.json["reason"]).toBe("illegal_transition");
    expect(await bodiesOf(client)).toEqual(before);
  });

  test("200: a converted intent is decided once with its user, and its screening has nothing left to do", async () => {
    const client = await createTestClient();
    const { id } = await createIntent(client);
    const userId = await convert(id);
    expect((await decideIntent(client, id, { status: "document" })).status).toBe(409);
    const rejection_reasons = [{ code: "document_unreadable", message: "The photo could not be read." }];
    const answer = await decideIntent(client, id, { status: "rejected", rejection_reasons });
    expect(answer.json).toMatchObject({ id, status: "rejected", rejection_reasons, user_id: userId });
    expect((await decideIntent(client, id, { status: "approved" })).status).toBe(409);
    await applyScreening({ userIntentId: id }, { status: "approved", rejectionReasons: [] });
    expect(await bodiesOf(client)).toMatchObject([
      { webhook_type: "user_intent_updated", user_id: userId, resource_id: id },
      { webhook_type: "user_updated", user_id: userId, resource_id: userId },
    ]);
    const { users } = (await client.call("GET", "/sandbox/users")).json as { users: { id: string }[] };
    expect(users.find((user) => user.id === userId)).toMatchObject({ status: "rejected", rejection_reasons });
  });

  test("409: an intent decided before its conversion can't be decided again", async () => {
    const client = await createTestClient();
    const { id } = await createIntent(client);
    await decideIntent(client, id, { status: "approved" });
    await convert(id);
    for (const status of ["approved", "rejected"])
      expect((await decideIntent(client, id, { status })).status).toBe(409);
    expect(await bodiesOf(client)).toHaveLength(1);
    expect((await client.call("GET", `/v1/user_intent/${id}`)).json["status"]).toBe("converted_to_user");
  });

  test("404: another client's intent cannot be decided", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const { id } = await createIntent(otherClient);
    expect((await decideIntent(client, id, { status: "approved" })).status).toBe(404);
    expect((await otherClient.call("GET", `/v1/user_intent/${id}`)).json["status"]).toBe("pending");
  });
});

describe("POST /sandbox/users/{id}/status", () => {
  test("200: each change of status is announced as user_updated, with the metadata", async () => {
    const client = await createTestClient();
    const intent = await createIntent(client, personDetails({ phone: newPhone(), metadata: { a: "b" } }));
    const id = await convert(intent.id);
    for (const status of ["approved", "suspended", "approved"]) {
      const decided = await client.call("POST", `/sandbox/users/${id}/status`, { body: { status } });
      expect(decided.json).toMatchObject({ status, kyc_type: "verified" });
    }
    const event = { webhook_type: "user_updated", user_id: id, resource_id: id, metadata: { a: "b" } };
    const ofIntent = { ...event, webhook_type: "user_intent_updated", resource_id: intent.id };
    const bodies = (await bodiesOf(client)) as { webhook_id: string }[];
    // The approval also decides the intent; ending a suspension doesn't.
    expect(bodies).toMatchObject([ofIntent, event, event, event]);
    // Each delivery has its own id, distinct from the resource's.
    expect(new Set(bodies.map(({ webhook_id }) => webhook_id)).size).toBe(4);
  });

  test("200: a user without metadata is announced without it", async () => {
    const client = await createTestClient();
    const id = client.businessUserId;
    await client.call("POST", `/sandbox/users/${id}/status`, { body: { status: "suspended" } });
    expect(await bodiesOf(client)).toEqual([
      { webhook_type: "user_updated", webhook_id: expect.any(String), user_id: id, resource_id: id },
    ]);
  });

  test("404: another client's user; 409: an invalid status change", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const path = `/sandbox/users/${otherClient.businessUserId}/status`;
    expect((await client.call("POST", path, { body: { status: "suspended" } })).status).toBe(404);
    expect((await otherClient.call("POST", path, { body: { status: "rejected" } })).status).toBe(409);
  });
});

test("lists show only the client's own people", async () => {
  const [client, otherClient] = [await createTestClient(), await createTestClient()];
  const { id } = await createIntent(client);
  await createIntent(otherClient);
  const { json } = await client.call("GET", "/sandbox/user_intents");
  expect(json["user_intents"]).toMatchObject([{ id, status: "pending" }]);
});

async function convert(userIntentId: string): Promise<string> {
  const conversion = await inTransaction((tx) => convertUserIntent(tx, userIntentId));
  if (conversion.kind !== "user") throw new Error(conversion.kind);
  return conversion.user.id;
}

function decideIntent(client: TestClient, id: string, body: unknown) {
  return client.call("POST", `/sandbox/user_intents/${id}/status`, { body });
}

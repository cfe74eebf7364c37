import { describe, expect, test } from "vitest";
import { createdUserIntent, userIntentRecord } from "../../../contract/people.ts";
import { decryptText } from "../../../kit/secrets.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { serviceConfig } from "../../config.ts";
import { convertUserIntent } from "../../operations/people/convert-user-intent.ts";
import { decideUser } from "../../operations/people/decide-person.ts";
import { database, inTransaction } from "../../storage/database.ts";
import { findUser, findUserIntent, identityContext } from "../../storage/people.ts";
import { advanceClock, createTestClient } from "../../testing/clients.ts";
import { createIntent, personDetails } from "../../testing/people.ts";
import { issueTestTokens } from "../../testing/tokens.ts";

describe("POST /v1/user_intent", () => {
  test("201: a pending intent that echoes only the metadata", async () => {
    const client = await createTestClient();
    const metadata = { customer: "5f0c2a1e", "order.no-1_A": "ñ 漢字 🚢" };
    const answer = await client.call("POST", "/v1/user_intent", { body: { ...personDetails(), metadata } });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.json).sort()).toEqual(["created_at", "id", "metadata", "status"]);
    expect(createdUserIntent.parse(answer.json)).toMatchObject({ status: "pending", metadata });
  });

  test("201: keeps ssn, date of birth and addresses encrypted for their own row", async () => {
    const client = await createTestClient();
    const details = personDetails({ ssn: "587654320" });
    const { id } = await createIntent(client, details);
    const found = await findUserIntent(database(), { id, clientId: client.clientId });
    expect(JSON.stringify(found)).not.toContain("587654320");
    const { keyring } = serviceConfig();
    const identity = await decryptText(found?.intent.identityEncrypted ?? "", identityContext(id), keyring);
    const { ssn, date_of_birth, address1, city, state, postal_code, ip_address } = details;
    expect(JSON.parse(identity)).toEqual({ ssn, date_of_birth, address1, city, state, postal_code, ip_address });
  });

  test("201: metadata is optional, in the response too", async () => {
    const client = await createTestClient();
    const answer = await client.call("POST", "/v1/user_intent", { body: personDetails() });
    expect(answer.status).toBe(201);
    expect(answer.json).not.toHaveProperty("metadata");
  });

  test("201: a metadata key can have any allowed name, even __proto__ or constructor", async () => {
    const client = await createTestClient();
    const details = JSON.stringify(personDetails()).slice(0, -1);
    const rawBody = `${details},"metadata":{"__proto__":"a","constructor":"b"}}`;
    const answer = await client.call("POST", "/v1/user_intent", {
      rawBody,
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(201);
    expect(answer.text).toContain('"metadata":{"__proto__":"a","constructor":"b"}');
  });

  test("400: names every missing field at once", async () => {
    const client = await createTestClient();
    const answer = await client.call("POST", "/v1/user_intent", { body: {} });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: 400, name: "Bad Request", reason: "validation_failed" });
    const fields = (answer.json["errors"] as { field: string; message: string }[]).map(({ field }) => field);
    expect(fields.sort()).toEqual(Object.keys(personDetails()).sort());
    expect(answer.json["errors"]).toContainEqual({ field: "ssn", message: "This field is required." });
  });

  test.each([
    ["first_name", "   "],
    ["last_name", 7],
    ["date_of_birth", "2001-02-30"],
    ["ssn", "123-45-6789"],
    ["phone", "5550123987"],
    ["email", "nobody"],
    ["state", "XX"],
    ["postal_code", "1234"],
    ["ip_address", "1.2.3.400"],
    ["metadata", "a=b"],
    ["metadata", ["a"]],
    ["metadata.n", { n: 7 }],
    ["metadata.order id", { "order id": "1" }],
    ["metadata.card", { card: "4111 1111 1111 1111" }],
    ["metadata", { own: "x123456789x" }],
    ["surprise", "an unknown field"],
  ])("400: refuses %s = %j and names it, and never its value", async (field, value) => {
    const client = await createTestClient();
    const [name = ""] = field.split(".");
    const answer = await client.call("POST", "/v1/user_intent", { body: { ...personDetails(), [name]: value } });
    expect(answer.status).toBe(400);
    expect(answer.json["errors"]).toEqual([{ field, message: expect.any(String) }]);
    if (typeof value === "string" && value.trim()) expect(answer.text).not.toContain(value);
  });

  test("400: an idempotency key that is not a UUID", async () => {
    const client = await createTestClient();
    const headers = { "idempotency-key": "again" };
    const answer = await client.call("POST", "/v1/user_intent", { body: personDetails(), headers });
    expect(answer.status).toBe(400);
    expect(answer.json["reason"]).toBe("invalid_idempotency_key");
  });

  test("201: the same key with an equivalent body replays the first response byte for byte", async () => {
    const client = await createTestClient();
    const key = "0198C0DE-0000-4000-8000-00000000000A";
    const details = personDetails();
    const first = await client.call("POST", "/v1/user_intent", { body: details, headers: { "idempotency-key": key } });
    const respelled = Object.fromEntries(Object.entries(details).reverse());
    const second = await client.call("POST", "/v1/user_intent", {
      rawBody: JSON.stringify(respelled, null, 2),
      headers: { "content-type": "application/json; charset=UTF-8", "idempotency-key": `"${key.toLowerCase()}"` },
    });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect([first, second].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
  });

  test("201: the same key replays the first response even after its person was rejected", async () => {
    const client = await createTestClient();
    const request = {
      body: personDetails({ phone: newPhone() }),
      headers: { "idempotency-key": "0198c0de-0000-4000-8000-00000000000e" },
    };
    const first = await client.call("POST", "/v1/user_intent", request);
    const id = String(first.json["id"]);
    await inTransaction((tx) => convertUserIntent(tx, id));
    await client.call("POST", `/sandbox/user_intents/${id}/status`, { body: { status: "rejected" } });
    const again = await client.call("POST", "/v1/user_intent", request);
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  test.each([
    ["another body", { city: "Elsewhere" }],
    ["metadata in another case", { metadata: { customer_id: "0198C0DE-0000-4000-8000-00000000000A" } }],
  ])("422: the same key with %s", async (_, changes) => {
    const client = await createTestClient();
    const headers = { "idempotency-key": "0198c0de-0000-4000-8000-00000000000b" };
    const details = personDetails({ metadata: { customer_id: "0198c0de-0000-4000-8000-00000000000a" } });
    await client.call("POST", "/v1/user_intent", { body: details, headers });
    const answer = await client.call("POST", "/v1/user_intent", { body: { ...details, ...changes }, headers });
    expect(answer.status).toBe(422);
    expect(answer.json["reason"]).toBe("idempotency_key_reused");
  });

  test("201: clients can use the same key independently", async () => {
    const headers = { "idempotency-key": "0198c0de-0000-4000-8000-00000000000c" };
    const [firstClient, secondClient] = [await createTestClient(), await createTestClient()];
    const first = await firstClient.call("POST", "/v1/user_intent", { body: personDetails(), headers });
    const second = await secondClient.call("POST", "/v1/user_intent", { body: personDetails(), headers });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json["id"]).not.toBe(first.json["id"]);
  });

  test.each(["rejected", "suspended"] as const)(
    "403: the phone's user is %s, and the key stays usable",
    async (status) => {
      const client = await createTestClient();
      const phone = newPhone();
      const { id } = await createIntent(client, personDetails({ phone }));
      const approved = status === "suspended";
      if (approved) await client.call("POST", `/sandbox/user_intents/${id}/status`, { body: { status: "approved" } });
      const conversion = await inTransaction((tx) => convertUserIntent(tx, id));
      if (conversion.kind !== "user") throw new Error(conversion.kind);
      const user = { id: conversion.user.id, clientId: client.clientId, traceId: "1".repeat(32) };
      await decideUser(user, { status, rejectionReasons: [] });

      const headers = { "idempotency-key": "0198c0de-0000-4000-8000-00000000000d" };
      const repeat = { body: personDetails({ phone }), headers };
      const answer = await client.call("POST", "/v1/user_intent", repeat);
      expect(answer.status).toBe(403);
      expect(answer.json["reason"]).toBe("person_not_permitted");
      if (!approved) return;
      await decideUser(user, { status: "approved", rejectionReasons: [] });
      expect((await client.call("POST", "/v1/user_intent", repeat)).status).toBe(201);
    },
  );
});

describe("GET /v1/user_intent/{id}", () => {
  test("200: the record, without ssn, date of birth and address", async () => {
    const client = await createTestClient();
    const details = personDetails({ metadata: { a: "b" } });
    const { id } = await createIntent(client, details);
    const answer = await client.call("GET", `/v1/user_intent/${id}`);
    expect(answer.status).toBe(200);
    expect(userIntentRecord.parse(answer.json)).toMatchObject({
      id,
      status: "pending",
      kyc_type: "unverified",
      first_name: details.first_name,
      last_name: details.last_name,
      email: details.email,
      phone: details.phone,
      metadata: { a: "b" },
      rejection_reasons: [],
      user_id: null,
    });
    for (const secret of [details.ssn, details.date_of_birth, details.address1])
      expect(answer.text).not.toContain(secret);
  });

  test("200: a converted intent has its user's id and kyc_type", async () => {
    const client = await createTestClient();
    const { id } = await createIntent(client);
    await client.call("POST", `/sandbox/user_intents/${id}/status`, { body: { status: "approved" } });
    const conversion = await inTransaction((tx) => convertUserIntent(tx, id));
    const answer = await client.call("GET", `/v1/user_intent/${id}`);
    expect(answer.json).toMatchObject({ status: "converted_to_user", kyc_type: "verified" });
    expect(conversion).toMatchObject({ kind: "user", user: { id: answer.json["user_id"] } });
  });

  test("200: updated_at never goes back, even when a sandbox's clock does; nor does the user's", async () => {
    const client = await createTestClient();
    const { id } = await createIntent(client);
    const read = async () => (await client.call("GET", `/v1/user_intent/${id}`)).json;
    await advanceClock(client, 86_400);
    const conversion = await inTransaction((tx) => convertUserIntent(tx, id));
    if (conversion.kind !== "user") throw new Error(conversion.kind);
    const { updated_at: ahead } = await read();
    await client.call("POST", "/sandbox/clock/reset");
    await client.call("POST", `/sandbox/user_intents/${id}/status`, { body: { status: "approved" } });
    expect(await read()).toMatchObject({ status: "approved", updated_at: ahead });
    const user = await findUser(database(), { id: conversion.user.id, clientId: client.clientId });
    expect(user).toMatchObject({ status: "approved", updatedAt: conversion.user.updatedAt });
  });

  test("404: missing, foreign and malformed ids get the same response except for the request id", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const { id } = await createIntent(otherClient);
    const paths = [id, "0198c0de-0000-7000-8000-000000000000", "%00", "x".repeat(300)];
    const answers = await Promise.all(paths.map((path) => client.call("GET", `/v1/user_intent/${path}`)));
    const bodies = answers.map(({ text, json }) => text.replace(String(json["request_id"]), ""));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(bodies).size).toBe(1);
  });
});

describe("GET /v1/user", () => {
  test("200: the record as published, with the metadata of the intent", async () => {
    const client = await createTestClient();
    const details = personDetails({ phone: newPhone(), metadata: { customer: "5f0c2a1e" } });
    const { id } = await createIntent(client, details);
    await client.call("POST", `/sandbox/user_intents/${id}/status`, { body: { status: "approved" } });
    const conversion = await inTransaction((tx) => convertUserIntent(tx, id));
    if (conversion.kind !== "user") throw new Error(conversion.kind);
    const { accessToken } = await issueTestTokens(client, conversion.user.id);
    const answer = await client.call("GET", "/v1/user", { authorization: `bEaReR ${accessToken}` });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      id: conversion.user.id,
      email: details.email,
      first_name: details.first_name,
      last_name: details.last_name,
      phone: details.phone,
      kyc_type: "verified",
      metadata: { customer: "5f0c2a1e" },
      receive_only: false,
      rejection_reasons: [],
      status: "approved",
      user_type: "personal",
    });
  });
});

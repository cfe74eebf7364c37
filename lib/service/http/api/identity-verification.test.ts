import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { identityVerificationToken } from "../../../contract/identity-verification.ts";
import { type FakeServer, startFakeServer } from "../../../kit/testing/fake-server.ts";
import { logToFile } from "../../../kit/testing/log-file.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { convertUserIntent } from "../../operations/people/convert-user-intent.ts";
import { inTransaction } from "../../storage/database.ts";
import { type CallAnswer, createTestClient, type TestClient } from "../../testing/clients.ts";
import { createIntent, personDetails } from "../../testing/people.ts";

const readLog = logToFile();
const path = "/v1/partner/identity/verification";
const dayMs = 24 * 3600 * 1000;
const closed = "http://127.0.0.1:9";

let fake: FakeServer;
beforeAll(async () => {
  fake = await startFakeServer();
});
afterAll(() => fake.stop());

describe("POST /v1/partner/identity/verification", () => {
  test("200: calls the customer endpoint during the request, with its secret and the same trace", async () => {
    const { client, body, phone } = await someone();
    serveCustomer({ phone });
    const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
    const answer = await client.call("POST", path, { body, headers: { traceparent } });
    expect(answer.status).toBe(200);
    const { token, expires_at = "", trusted } = identityVerificationToken.parse(answer.json);
    expect(token).toMatch(/^gwi_[\w-]{43}$/);
    expect(trusted).toBe(true);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(55_000);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThan(61_000);
    const lookup = fake.requests.at(-1);
    expect(lookup?.path).toBe("/v1/customers/customer-1");
    expect(lookup?.headers.authorization).toBe(`Bearer ${client.customerEndpointSecret}`);
    expect(lookup?.headers["traceparent"]).toContain("ab".repeat(16));
  });

  test("200: a sandbox vouches for customers of a client without an endpoint, by the client's clock, and records no call", async () => {
    const client = await createTestClient();
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: (40 * dayMs) / 1000 } });
    const { json: intent } = await client.call("POST", "/v1/user_intent", { body: personDetails() });
    const provider_data = { customer_id: "a-customer" };
    const body = { provider: client.provider, provider_data, user_intent_id: intent["id"] };
    const answer = await client.call("POST", path, { body });
    expect(answer).toMatchObject({ status: 200, json: { trusted: true } });
    const { json: events } = await client.call("GET", "/sandbox/events?kind=customer");
    expect(events["events"]).toEqual([]);
  });

  test("200: any customer_id is encoded as one path segment, after the customer endpoint's address with or without a slash", async () => {
    const { client, body, phone } = await someone();
    await client.call("PUT", "/sandbox/client", { body: { customers_url: `${fake.url}/` } });
    const customer_id = "a/../b?c=d#e é";
    serveCustomer({ phone, customer_id });
    const answer = await client.call("POST", path, { body: { ...body, provider_data: { customer_id } } });
    expect(answer.status).toBe(200);
    expect(fake.requests.at(-1)?.path).toBe(`/v1/customers/${encodeURIComponent(customer_id)}`);
  });

  test("200: a sandbox's later probes request the customer verified last", async () => {
    const { client, body, phone } = await someone();
    for (const customer_id of ["first", "last"]) {
      serveCustomer({ phone, customer_id });
      await client.call("POST", path, { body: { ...body, provider_data: { customer_id } } });
      await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 1 } });
    }
    const before = fake.requests.length;
    await client.call("POST", "/sandbox/customer_probes", { body: {} });
    const requestedPaths = new Set(fake.requests.slice(before).map((request) => request.path));
    expect([requestedPaths.has("/v1/customers/last"), requestedPaths.has("/v1/customers/first")]).toEqual([
      true,
      false,
    ]);
  });

  test("200: a customer record may have 64 KiB", async () => {
    const { client, body, phone } = await someone();
    const record = Buffer.alloc(64 * 1024, " ");
    record.write(JSON.stringify(customer({ phone })));
    fake.answer((_request, response) => response.writeHead(200).end(record));
    expect((await client.call("POST", path, { body })).status).toBe(200);
  });

  test("200: works for a user too, and a converted intent's id stays valid", async () => {
    const { client, body, phone } = await someone();
    const conversion = await inTransaction((tx) => convertUserIntent(tx, body.user_intent_id));
    if (conversion.kind !== "user") throw new Error(conversion.kind);
    serveCustomer({ phone });
    const { provider, provider_data } = body;
    const forUser = { provider, provider_data, user_id: conversion.user.id };
    expect((await client.call("POST", path, { body: forUser })).status).toBe(200);
    expect((await client.call("POST", path, { body })).status).toBe(200);
  });

  test.each([
    ["just now", 0, true],
    ["29 days 23 h 59 min ago", -30 * dayMs + 60_000, true],
    ["30 days and 1 s ago", -30 * dayMs - 1000, false],
    ["50 s ahead", 50_000, true],
    ["70 s ahead", 70_000, false],
    ["a year ahead", 365 * dayMs, false],
  ])("200: a login %s (%i ms from now) gets a token, trusted: %s", async (_when, offsetMs, trusted) => {
    const { client, body, phone } = await someone();
    serveCustomer({ phone, lastAuthenticationTime: new Date(Date.now() + offsetMs).toISOString() });
    const answer = await client.call("POST", path, { body });
    expect(answer.status).toBe(200);
    expect(answer.json["trusted"]).toBe(trusted);
  });

  test.each(["+00:00", "Z"])("200: a login in UTC written with %s is trusted", async (utc) => {
    const { client, body, phone } = await someone();
    // Six decimals, as in Python.
    const lastAuthenticationTime = new Date().toISOString().replace("Z", `000${utc}`);
    serveCustomer({ phone, lastAuthenticationTime });
    const answer = await client.call("POST", path, { body });
    expect([answer.status, answer.json["trusted"]]).toEqual([200, true]);
  });

  test("200: the phone is compared as a number, in any format", async () => {
    const { client, body, phone } = await someone();
    const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(phone) ?? [];
    for (const spelled of [`+1 (${area}) ${exchange}-${line}`, `${area}.${exchange}.${line}`, phone.slice(1)]) {
      serveCustomer({ phone: spelled });
      expect((await client.call("POST", path, { body })).status).toBe(200);
    }
    serveCustomer({ phone: `+44${phone.slice(2)}` });
    expect((await client.call("POST", path, { body })).json["reason"]).toBe("customer_mismatch");
  });

  test.each([
    ["a time with an offset", { lastAuthenticationTime: "2026-11-23T09:30:00.000+05:30" }, "lastAuthenticationTime"],
    ["a time without a zone", { lastAuthenticationTime: "2026-11-23T09:30:00.000" }, "lastAuthenticationTime"],
    ["no first name and a number for a phone", { first_name: undefined, phone: 12025550123 }, "first_name, phone"],
  ])("502: names the fields of a customer record with %s, and never their values", async (_name, changes, fields) => {
    const { client, body, phone } = await someone();
    serveCustomer({ phone, last_name: "canary", ...changes });
    const { status, json, text } = await client.call("POST", path, { body });
    expect([status, json["reason"]]).toEqual([502, "customer_endpoint_failed"]);
    expect(json["description"]).toBe(`These fields of your customer record are missing or malformed: ${fields}.`);
    expect(text).not.toMatch(/canary|2026-11|12025550123/);
  });

  test("400: both ids, neither, an invalid customer_id, or another provider", async () => {
    const { client, body } = await someone();
    const bodies = [
      { ...body, user_id: body.user_intent_id },
      { provider: body.provider, provider_data: body.provider_data },
      { ...body, provider_data: { customer_id: ".." } },
      { ...body, provider_data: { customer_id: "\ud800" } },
      { ...body, provider: "somebody" },
    ];
    for (const wrong of bodies) expect((await client.call("POST", path, { body: wrong })).status).toBe(400);
  });

  test("403: a client without trusted authentication, before the body is read", async () => {
    const client = await createTestClient();
    await client.call("PUT", "/sandbox/client", { body: { trusted_authentication: false } });
    const answer = await client.call("POST", path, { body: {} });
    expect(answer.status).toBe(403);
    expect(answer.json["reason"]).toBe("trusted_authentication_not_enabled");
  });

  test.each([
    ["another phone", { phone: "+12025550000" }, "phone_differs"],
    ["another customer", { customer_id: "customer-2" }, "customer_id_differs"],
  ])("403: the customer endpoint returns %s, which only the log shows", async (_name, changes, cause) => {
    const { client, body, phone } = await someone();
    serveCustomer({ phone, ...changes });
    const answer = await client.call("POST", path, { body });
    expect(answer.status).toBe(403);
    expect(answer.json["reason"]).toBe("customer_mismatch");
    expect(answer.text).not.toContain(cause);
    expect(causeOf(answer)).toBe(cause);
  });

  test("403: the customer endpoint's phone isn't the user's", async () => {
    const { client, body, phone } = await someone();
    const conversion = await inTransaction((tx) => convertUserIntent(tx, body.user_intent_id));
    if (conversion.kind !== "user") throw new Error(conversion.kind);
    const { provider, provider_data } = body;
    const forUser = { provider, provider_data, user_id: conversion.user.id };
    serveCustomer({ phone: newPhone() });
    expect((await client.call("POST", path, { body: forUser })).json["reason"]).toBe("customer_mismatch");
    serveCustomer({ phone });
    expect((await client.call("POST", path, { body: forUser })).status).toBe(200);
  });

  test("404: an unknown person, or another client's", async () => {
    const { client, body } = await someone();
    const foreign = await createIntent(await createTestClient());
    const { provider, provider_data } = body;
    const persons = [
      { user_intent_id: foreign.id },
      { user_intent_id: "0198c0de-0000-7000-8000-000000000000" },
      { user_id: (await createTestClient()).businessUserId },
      { user_id: "0198c0de-0000-7000-8000-000000000000" },
    ];
    for (const person of persons) {
      const answer = await client.call("POST", path, { body: { provider, provider_data, ...person } });
      expect(answer.status).toBe(404);
    }
  });

  test.each<[string, string, (response: ServerResponse, phone: string) => void]>([
    ["an error", "status_500", (response) => response.writeHead(500).end("canary-body")],
    ["not found", "status_404", (response) => response.writeHead(404).end("canary-body")],
    [
      "a valid record with status 404",
      "status_404",
      (response, phone) => response.writeHead(404).end(JSON.stringify(customer({ phone }))),
    ],
    ["text that isn't JSON", "not_json", (response) => response.writeHead(200).end("canary-body")],
    [
      "JSON of another shape",
      "not_a_customer_record",
      (response) => response.writeHead(200).end('{"customer_id":"canary-body"}'),
    ],
    [
      "a redirect to a valid record",
      "status_302",
      (response, phone) => {
        serveCustomer({ phone });
        response.writeHead(302, { location: `${fake.url}/v1/customers/customer-1` }).end();
      },
    ],
    [
      "a valid record over 64 KiB",
      "answer_too_large",
      (response, phone) => response.writeHead(200).end(JSON.stringify(customer({ phone })) + " ".repeat(65 * 1024)),
    ],
    [
      "a connection that breaks",
      "UND_ERR_SOCKET",
      (response) => response.writeHead(200).write("{", () => response.destroy()),
    ],
    [
      "a login in a year that no database holds",
      "not_a_customer_record",
      (response, phone) =>
        response
          .writeHead(200)
          .end(JSON.stringify({ ...customer({ phone }), lastAuthenticationTime: "0000-01-01T00:00:00.000Z" })),
    ],
    ["bytes that aren't UTF-8", "not_json", (response) => response.writeHead(200).end(Buffer.from([0x22, 0xff, 0x22]))],
  ])("502: the customer endpoint returns %s, which isn't shown", async (_name, cause, respond) => {
    const { client, body, phone } = await someone();
    fake.answer((_request, response) => respond(response, phone));
    const answer = await client.call("POST", path, { body });
    expect(answer.status).toBe(502);
    expect(answer.json["reason"]).toBe("customer_endpoint_failed");
    expect(answer.text).not.toContain("canary-body");
    expect(causeOf(answer)).toBe(cause);
  });

  test("502: the customer endpoint doesn't respond within 5 s", async () => {
    const { client, body } = await someone();
    fake.answer(() => {});
    const startedAt = Date.now();
    const answer = await client.call("POST", path, { body });
    expect(answer.status).toBe(502);
    expect(Date.now() - startedAt).toBeLessThan(9000);
    expect(causeOf(answer)).toBe("TimeoutError");
  });

  test("502: the customer endpoint is down or not public", async () => {
    const { client, body } = await someone();
    for (const customers_url of [closed, "http://10.255.255.1", "http://[::ffff:127.0.0.1]:9"]) {
      await client.call("PUT", "/sandbox/client", { body: { customers_url } });
      const answer = await client.call("POST", path, { body });
      expect(answer.status).toBe(502);
      expect(answer.json["reason"]).toBe("customer_endpoint_failed");
      const isRefused = customers_url.includes("10.255") || customers_url.includes("ffff");
      expect(String(answer.json["description"]).includes("SERVICE_OUTBOUND_NETWORKS")).toBe(isRefused);
    }
  });
});

function causeOf(answer: CallAnswer): unknown {
  const requestId = answer.headers.get("request-id");
  return readLog().find((line) => line["requestId"] === requestId)?.["cause"];
}

async function someone(): Promise<{ client: TestClient; body: VerificationBody; phone: string }> {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/client", { body: { customers_url: fake.url } });
  const phone = newPhone();
  const { id } = await createIntent(client, personDetails({ phone }));
  const body = { provider: client.provider, provider_data: { customer_id: "customer-1" }, user_intent_id: id };
  return { client, body, phone };
}

type VerificationBody = { provider: string; provider_data: { customer_id: string }; user_intent_id: string };

function serveCustomer(changes: Record<string, unknown>): void {
  fake.answer((_request, response) => response.writeHead(200).end(JSON.stringify(customer(changes))));
}

function customer(changes: Record<string, unknown>) {
  return {
    customer_id: "customer-1",
    first_name: "Grace",
    last_name: "O’Malley",
    lastAuthenticationTime: new Date().toISOString(),
    ...changes,
  };
}

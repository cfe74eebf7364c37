import { describe, expect, test } from "vitest";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { personDetails } from "../../testing/people.ts";
import { createClientWithSeller } from "../../testing/routines.ts";

const path = "/v1/user_intent";
const json = { "content-type": "application/json" };

describe("every response (Decision D4)", () => {
  test.each([
    ["201", "POST", path, {}],
    ["400", "POST", path, { body: {} }],
    ["401", "POST", path, { authorization: null }],
    ["404", "GET", "/v1/nothing", {}],
    ["405", "DELETE", path, {}],
  ])("%s: has its request id, no-store and nosniff", async (status, method, where, options) => {
    const client = await createTestClient();
    const answer = await client.call(method, where, { ...(method === "POST" && { body: fine() }), ...options });
    expect(answer.status).toBe(Number(status));
    const requestId = answer.headers.get("request-id");
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    if (answer.status !== 201) expect(answer.json["request_id"]).toBe(requestId);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("Basic authentication (Decision D2)", () => {
  test("201: id and secret are form-url-decoded, and the scheme is case-insensitive", async () => {
    const client = await createTestClient();
    const spelled = basicCredentials(client.clientId.replace("s", "%73"), client.clientSecret);
    const encoded = `%73${client.clientId.slice(1)}:${client.clientSecret}`;
    const authorization = `bAsIc ${Buffer.from(encoded).toString("base64")}`;
    expect((await client.call("POST", path, { body: fine(), authorization })).status).toBe(201);
    // Encoded twice, it's a different id.
    expect((await client.call("POST", path, { body: fine(), authorization: spelled })).status).toBe(401);
  });

  test.each<[string, (client: TestClient) => string | null]>([
    ["nothing", () => null],
    ["another scheme", ({ clientSecret }) => `Bearer ${clientSecret}`],
    ["no credentials", () => "Basic"],
    ["bad base64", () => "Basic %%%"],
    ["base64 without its padding", ({ clientId }) => basicCredentials(clientId, "12").replace(/=+$/, "")],
    ["no colon", ({ clientId }) => `Basic ${Buffer.from(clientId).toString("base64")}`],
    ["an empty id", ({ clientSecret }) => basicCredentials("", clientSecret)],
    ["an empty secret", ({ clientId }) => basicCredentials(clientId, "")],
    ["an unknown id", ({ clientSecret }) => basicCredentials("nobody", clientSecret)],
    ["an id with NUL", ({ clientSecret }) => basicCredentials("a\0b", clientSecret)],
    ["an id in the wrong case", ({ clientId, clientSecret }) => basicCredentials(clientId.toUpperCase(), clientSecret)],
    ["a wrong secret", ({ clientId, clientSecret }) => basicCredentials(clientId, `${clientSecret}x`)],
    ["another client's secret", ({ clientId, webhookSecret }) => basicCredentials(clientId, webhookSecret)],
    ["a bad escape", ({ clientId }) => `Basic ${Buffer.from(`${clientId}:%zz`).toString("base64")}`],
    ["bytes that are no UTF-8", () => `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString("base64")}`],
    [
      "two credentials",
      ({ clientId, clientSecret }) =>
        `${basicCredentials(clientId, clientSecret)}, ${basicCredentials(clientId, clientSecret)}`,
    ],
  ])("401: %s, always the same response", async (_name, authorizationOf) => {
    const client = await createTestClient();
    const answer = await client.call("POST", path, { body: fine(), authorization: authorizationOf(client) });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /);
    expect(answer.json).toMatchObject({
      reason: "invalid_client",
      name: "Unauthorized",
      description: "Authenticate with the Basic scheme: client_id and client_secret, each form-url-encoded.",
    });
  });

  test("401: authentication comes before validation", async () => {
    const client = await createTestClient();
    const answer = await client.call("POST", path, { rawBody: "{", authorization: null });
    expect(answer.status).toBe(401);
  });
});

describe("Bearer authentication", () => {
  test.each([
    [null, "missing_token"],
    ["Basic YTpi", "missing_token"],
    ["Bearer", "invalid_token"],
    ["Bearer not a token", "invalid_token"],
    ["Bearer gwa_unknown", "invalid_token"],
    ["bEARER gwa_unknown", "invalid_token"],
  ])("401: %s is %s", async (authorization, reason) => {
    const client = await createTestClient();
    const answer = await client.call("GET", "/v1/user", { authorization });
    expect(answer.status).toBe(401);
    expect(answer.json["reason"]).toBe(reason);
    const challenge = answer.headers.get("www-authenticate");
    expect(challenge).toMatch(/^Bearer /);
    expect(challenge?.includes('error="invalid_token"')).toBe(reason === "invalid_token");
  });

  test("401: a token in the query is ignored", async () => {
    const client = await createTestClient();
    const answer = await client.call("GET", "/v1/user?access_token=gwa_x", { authorization: null });
    expect(answer.json["reason"]).toBe("missing_token");
  });

  test("200: a valid token with the scheme in any case; in the query it is ignored", async () => {
    const { call, businessToken } = await createClientWithSeller();
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
      const answer = await call("GET", "/v1/user", { authorization: `${scheme} ${businessToken}` });
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    }
    const inQuery = `/v1/user?access_token=${businessToken}`;
    expect((await call("GET", inQuery, { authorization: null })).json["reason"]).toBe("missing_token");
    expect((await call("GET", inQuery, { bearer: "gwa_x" })).json["reason"]).toBe("invalid_token");
  });
});

describe("the request body (Decision D3)", () => {
  test.each([
    ["text/plain"],
    ["application/x-www-form-urlencoded"],
    ["application/json; charset=latin1"],
    ["application/jsonp"],
    [""],
  ])("415: content-type %j", async (contentType) => {
    const client = await createTestClient();
    const answer = await client.call("POST", path, {
      rawBody: new TextEncoder().encode("{}"),
      headers: contentType ? { "content-type": contentType } : {},
    });
    expect(answer.status).toBe(415);
    expect(answer.json["reason"]).toBe("unsupported_media_type");
  });

  test("415: a compressed body", async () => {
    const client = await createTestClient();
    const answer = await client.call("POST", path, { rawBody: "{}", headers: { ...json, "content-encoding": "gzip" } });
    expect(answer.status).toBe(415);
  });

  test.each([
    ["text/html", 406],
    ["application/json;q=0", 406],
    ["application/json;q=0, */*", 406],
    ["image/*, text/*", 406],
    ["application/json", 201],
    ["text/html, */*;q=0.1", 201],
    ["APPLICATION/*", 201],
  ])("accept %s: %i", async (accept, status) => {
    const client = await createTestClient();
    expect((await client.call("POST", path, { body: fine(), headers: { accept } })).status).toBe(status);
  });

  test.each<[string, BodyInit]>([
    ["nothing", ""],
    ["half an object", '{"a":'],
    ["a trailing comma", '{"a":1,}'],
    ["NaN", '{"a":NaN}'],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["a byte order mark", "\ufeff{}"],
    ["NUL as an escape", '{"first_name":"a\\u0000b"}'],
    ["NUL in a field name", '{"metadata":{"a\\u0000":"b"}}'],
    ["half a surrogate pair", '{"metadata":{"a":"\\ud800"}}'],
    ["a field named twice", '{"ssn":"123456789","ssn":"587654321"}'],
    ["a field named twice, once by an escape", '{"metadata":{"a:b":"{","\\u0061:b":"}"}}'],
    ["__proto__ named twice", '{"__proto__":1,"__proto__":2}'],
    ["JSON nested 33 deep", `${'{"a":['.repeat(16)}[1]${"]}".repeat(16)}`],
    ["JSON nested 8,000 deep", `${'{"a":'.repeat(8000)}1${"}".repeat(8000)}`],
    ["lists nested 30,000 deep", "[".repeat(30_000) + "]".repeat(30_000)],
    ["a field named twice within a list", '[[{"a":"\\"","a":"\\\\"}]]'],
  ])("400: %s is invalid_json", async (_name, rawBody) => {
    const client = await createTestClient();
    const answer = await client.call("POST", path, { rawBody, headers: json });
    expect(answer.status).toBe(400);
    expect(answer.json["reason"]).toBe("invalid_json");
  });

  test("400: names at most 50 invalid fields", async () => {
    const client = await createTestClient();
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`unknown_${index}`, index]));
    const answer = await client.call("POST", path, { body: { ...fine(), ...unknown } });
    expect([answer.status, answer.json["errors"]]).toEqual([400, expect.objectContaining({ length: 50 })]);
  });

  test("400: JSON nested 32 levels deep is validated, and brackets in strings don't count", async () => {
    const client = await createTestClient();
    const rawBody = `${'{"a":['.repeat(16)}"${"[{".repeat(40)}"${"]}".repeat(16)}`;
    const answer = await client.call("POST", path, { rawBody, headers: json });
    expect([answer.status, answer.json["reason"]]).toEqual([400, "validation_failed"]);
  });

  test("201: colons, braces and quotes in values don't count as fields", async () => {
    const client = await createTestClient();
    const body = { ...fine(), metadata: { a: '":{"b":1,"b":', b: '\\":"', c: "::", "\u0061d": "a" } };
    expect((await client.call("POST", path, { rawBody: JSON.stringify(body), headers: json })).status).toBe(201);
  });

  test.each(["null", "[]", '"text"', "7"])(
    "400: JSON that is not an object is validation_failed (%#)",
    async (rawBody) => {
      const client = await createTestClient();
      const answer = await client.call("POST", path, { rawBody, headers: json });
      expect(answer.status).toBe(400);
      expect(answer.json["reason"]).toBe("validation_failed");
    },
  );

  test("413: 64 KiB pass, one byte more does not, with or without content-length", async () => {
    const client = await createTestClient();
    const body = JSON.stringify(fine());
    const largest = body + " ".repeat(64 * 1024 - Buffer.byteLength(body));
    expect((await client.call("POST", path, { rawBody: largest, headers: json })).status).toBe(201);
    const stated = { ...json, "content-length": String(64 * 1024 + 1) };
    expect((await client.call("POST", path, { rawBody: `${largest} `, headers: stated })).status).toBe(413);
    const answer = await client.call("POST", path, { rawBody: `${largest} `, headers: json });
    expect(answer.status).toBe(413);
    expect(answer.json["reason"]).toBe("payload_too_large");
  });
});

describe("the path (Decision D5)", () => {
  test("404: an unknown path, even with credentials", async () => {
    const client = await createTestClient();
    const answer = await client.call("POST", "/v1/user_intents", { body: {} });
    expect(answer.status).toBe(404);
    expect(answer.json["reason"]).toBe("not_found");
  });

  test("405: an unsupported method gets the allowed ones", async () => {
    const client = await createTestClient();
    const answer = await client.call("PUT", path, { body: {} });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
    expect(answer.json["reason"]).toBe("method_not_allowed");
  });

  test("405: an OAuth endpoint uses its own error format", async () => {
    const client = await createTestClient();
    const answer = await client.call("GET", "/v1/oauth/token");
    expect(answer.status).toBe(405);
    expect(answer.json).toEqual({ error: "invalid_request", error_description: "Only POST is allowed here." });
  });
});

function fine() {
  return personDetails({ phone: newPhone() });
}

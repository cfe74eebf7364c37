import { randomUUID } from "node:crypto";
import { getRequestListener } from "@hono/node-server";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusals } from "../../../contract/errors.ts";
import { eventPage } from "../../../contract/sandbox-events.ts";
import { faultList, faultReasons } from "../../../contract/sandbox-faults.ts";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { type HttpListener, listenOnFreePort } from "../../../kit/testing/http-listener.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { authorizeVisit } from "../../operations/visits/finish-visit.ts";
import { database } from "../../storage/database.ts";
import { clients, routines } from "../../storage/schema.ts";
import { createTestClient, type TestClient, testRedirectUri } from "../../testing/clients.ts";
import { createSandboxApi } from "../../testing/listening-service.ts";
import { insertTestUser, personDetails, type TestPerson } from "../../testing/people.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { insertTestCode, testVerifier } from "../../testing/tokens.ts";
import { openTestVisit } from "../../testing/visits.ts";
import { faults } from "../storage/schema.ts";

describe("PUT /sandbox/faults", () => {
  test("200: exactly the next calls of the operation fail without effect, and no others", async () => {
    const client = await createTestClient();
    const set = await setFault(client, { operation: "createUserIntent", status: 503, times: 2 });
    expect(set.status).toBe(200);
    expect(set.json).toEqual({
      faults: [{ operation: "createUserIntent", status: 503, cut: null, foreign: null, latency_ms: 0, times: 2 }],
    });
    for (const left of [1, 0]) {
      const answer = await createIntent(client);
      expect([answer.status, answer.json["reason"], answer.headers.get("retry-after")]).toEqual([
        503,
        "unavailable",
        "1",
      ]);
      expect(await timesLeft(client)).toBe(left);
    }
    expect((await client.call("GET", "/sandbox/user_intents")).json["user_intents"]).toEqual([]);
    expect((await createIntent(client)).status).toBe(201);
    expect(await isMarked(client)).toBe(false);
  });

  test("200: a client's faults are its own", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await setFault(client, { operation: "createUserIntent", status: 500, times: 1 });
    expect((await createIntent(otherClient)).status).toBe(201);
    expect((await createIntent(client)).status).toBe(500);
  });

  test("200: a second fault replaces the first of the same operation only", async () => {
    const client = await createTestClient();
    await setFault(client, { operation: "readUser", status: 500, times: 3 });
    await setFault(client, { operation: "createUserIntent", status: 500, latency_ms: 5, times: 3 });
    const { json } = await setFault(client, { operation: "createUserIntent", latency_ms: 10, times: 1 });
    expect(json["faults"]).toEqual([
      { operation: "createUserIntent", status: null, cut: null, foreign: null, latency_ms: 10, times: 1 },
      { operation: "readUser", status: 500, cut: null, foreign: null, latency_ms: 0, times: 3 },
    ]);
  });

  test("200: a slow call is delayed, then works", async () => {
    const client = await createTestClient();
    await setFault(client, { operation: "createUserIntent", latency_ms: 200, times: 1 });
    const startedAt = performance.now();
    expect((await createIntent(client)).status).toBe(201);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
  });

  test("200: a user's calls count for the client, and a 401 looks like an expired token", async () => {
    const { businessToken: bearer, ...client } = await createClientWithSeller();
    await setFault(client, { operation: "readUser", status: 401, times: 1 });
    const answer = await client.call("GET", "/v1/user", { bearer });
    expect([answer.status, answer.json["reason"]]).toEqual([401, "token_expired"]);
    expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect((await client.call("GET", "/v1/user", { bearer })).status).toBe(200);
  });

  test("200: the token endpoint fails with an RFC 6749 error, and the code isn't spent", async () => {
    const client = await createClientWithSeller();
    await setFault(client, { operation: "issueTokens", status: 503, times: 1 });
    const code = await insertTestCode(client, client.sellerId);
    const proof = { redirect_uri: testRedirectUri, code_verifier: testVerifier };
    const form = { grant_type: "authorization_code", code, ...proof };
    const answer = await client.call("POST", "/v1/oauth/token", { form });
    expect([answer.status, answer.json["error"]]).toEqual([503, "temporarily_unavailable"]);
    expect((await client.call("POST", "/v1/oauth/token", { form })).status).toBe(200);
  });

  test("200: a call with refused credentials triggers no fault and uses none up", async () => {
    const client = await createTestClient();
    await setFault(client, { operation: "createUserIntent", status: 500, times: 1 });
    const body = personDetails({ phone: newPhone() });
    expect((await client.call("POST", "/v1/user_intent", { body, authorization: null })).status).toBe(401);
    expect(await timesLeft(client)).toBe(1);
  });

  test.each(Object.values(faultReasons).map((reason) => [refusals[reason].status, reason] as const))(
    "200: status %s is documented, and fails with %s",
    async (status, reason) => {
      const client = await createTestClient();
      expect((await setFault(client, { operation: "createUserIntent", status, times: 1 })).status).toBe(200);
      const answer = await createIntent(client);
      expect([answer.status, answer.json["reason"]]).toEqual([status, reason]);
    },
  );

  test.each([
    ["operation", { operation: "createUserIntents", status: 500, times: 1 }],
    ["operation", { operation: "setSandboxFault", status: 500, times: 1 }],
    ["operation", { operation: "describeAuthorizationServer", status: 500, times: 1 }],
    ["operation", { status: 500, times: 1 }],
    ["status", { operation: "readUser", times: 1 }],
    ["status", { operation: "readUser", status: 418, times: 1 }],
    ["status", { operation: "readUser", status: 200, times: 1 }],
    ["status", { operation: "readUser", status: "500", times: 1 }],
    ["cut", { operation: "readUser", cut: "between", times: 1 }],
    ["cut", { operation: "readUser", cut: "after", status: 500, times: 1 }],
    ["foreign", { operation: "authorize", times: 1 }],
    ["foreign", { operation: "authorize", status: 500, times: 1 }],
    ["foreign", { operation: "authorize", foreign: "state", latency_ms: 5, times: 1 }],
    ["foreign", { operation: "authorize", foreign: "code", times: 1 }],
    ["foreign", { operation: "readUser", foreign: "state", times: 1 }],
    ["latency_ms", { operation: "readUser", latency_ms: 0, times: 1 }],
    ["latency_ms", { operation: "readUser", latency_ms: 30_001, times: 1 }],
    ["latency_ms", { operation: "readUser", latency_ms: 1.5, times: 1 }],
    ["times", { operation: "readUser", status: 500 }],
    ["times", { operation: "readUser", status: 500, times: 0 }],
    ["times", { operation: "readUser", status: 500, times: 10_001 }],
    ["chance", { operation: "readUser", status: 500, times: 1, chance: 0.5 }],
  ])("400: %s in %j, and nothing is set", async (field, body) => {
    const client = await createTestClient();
    const answer = await client.call("PUT", "/sandbox/faults", { body });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ reason: "validation_failed", errors: [{ field }] });
    expect(await timesLeft(client)).toBe(0);
  });

  test("401: without credentials", async () => {
    const body = { operation: "readUser", status: 500, times: 1 };
    const { call } = await createTestClient();
    expect((await call("PUT", "/sandbox/faults", { body, authorization: null })).status).toBe(401);
  });
});

describe("GET /sandbox/faults", () => {
  test("200: only this client's remaining faults", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await setFault(client, { operation: "createUserIntent", status: 500, times: 2 });
    await setFault(client, { operation: "readUser", cut: "after", times: 1 });
    await setFault(otherClient, { operation: "readUser", status: 500, times: 9 });
    await createIntent(client);
    const answer = await client.call("GET", "/sandbox/faults");
    expect(answer.status).toBe(200);
    expect(faultList.parse(answer.json)).toEqual({
      faults: [
        { operation: "createUserIntent", status: 500, cut: null, foreign: null, latency_ms: 0, times: 1 },
        { operation: "readUser", status: null, cut: "after", foreign: null, latency_ms: 0, times: 1 },
      ],
    });
    await createIntent(client);
    expect((await client.call("GET", "/sandbox/faults")).json["faults"]).toHaveLength(1);
  });

  test("401: without credentials", async () => {
    const { call } = await createTestClient();
    expect((await call("GET", "/sandbox/faults", { authorization: null })).status).toBe(401);
  });
});

// Uses a real connection, which the fault closes.
describe("a connection that is cut", () => {
  let listener: HttpListener;
  beforeAll(async () => {
    listener = await listenOnFreePort(getRequestListener(createSandboxApi().fetch));
  });
  afterAll(() => listener.stop());

  test("before: nothing is done, and the next call gets a response", async () => {
    const client = await createTestClient();
    await setFault(client, { operation: "createUserIntent", cut: "before", times: 1 });
    const body = personDetails({ phone: newPhone() });
    await expect(send(client, "/v1/user_intent", { body })).rejects.toThrow("fetch failed");
    expect((await client.call("GET", "/sandbox/user_intents")).json["user_intents"]).toEqual([]);
    expect((await send(client, "/v1/user_intent", { body })).status).toBe(201);
    expect(await timesLeft(client)).toBe(0);
  });

  test("after: it's done once, and a retry with the same key gets the result", async () => {
    const client = await createClientWithSeller();
    await setFault(client, { operation: "createBookRoutine", cut: "after", times: 1 });
    const body = { name: "Payment", amount: 12.5, source_id: client.operatingId, destination_id: client.walletId };
    const payment = { body, bearer: client.businessToken, key: randomUUID() };
    await expect(send(client, "/v1/routines/book", payment)).rejects.toThrow("fetch failed");
    expect(await countRoutines(client)).toBe(1);
    const repeated = await send(client, "/v1/routines/book", payment);
    expect([repeated.status, repeated.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(await countRoutines(client)).toBe(1);
  });

  test("after: a refusal isn't sent either", async () => {
    const client = await createTestClient();
    await setFault(client, { operation: "createUserIntent", cut: "after", times: 2 });
    for (const body of [{}, personDetails({ phone: "123" })]) {
      await expect(send(client, "/v1/user_intent", { body })).rejects.toThrow("fetch failed");
    }
    expect((await send(client, "/v1/user_intent", { body: {} })).status).toBe(400);
  });

  test("delayed by latency_ms", async () => {
    const client = await createTestClient();
    await setFault(client, { operation: "createUserIntent", cut: "before", latency_ms: 200, times: 1 });
    const startedAt = performance.now();
    await expect(send(client, "/v1/user_intent", { body: {} })).rejects.toThrow("fetch failed");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
  });

  function send(
    { clientId, clientSecret }: Pick<TestClient, "clientId" | "clientSecret">,
    path: string,
    { body, bearer, key }: { body: unknown; bearer?: string; key?: string },
  ): Promise<Response> {
    return fetch(`${listener.url}${path}`, {
      method: "POST",
      headers: {
        authorization: bearer === undefined ? basicCredentials(clientId, clientSecret) : `Bearer ${bearer}`,
        "content-type": "application/json",
        ...(key !== undefined && { "idempotency-key": key }),
      },
      body: JSON.stringify(body),
    });
  }
});

describe("a redirect with a foreign parameter", () => {
  test.each([
    ["state", "state"],
    ["issuer", "iss"],
  ] as const)(
    "%s: the next redirect has a wrong %s and its own code; the one after is correct",
    async (foreign, name) => {
      const client = await createTestClient();
      const right = await comeBack(client);
      await setFault(client, { operation: "authorize", foreign, times: 1 });
      const faulty = await comeBack(client);
      expect(faulty.get(name)).not.toBe(right.get(name));
      expect((await exchange(client, faulty.get("code"))).status).toBe(200);
      expect((await comeBack(client)).get(name)).toBe(right.get(name));
      expect(await timesLeft(client)).toBe(0);
    },
  );

  test("person: the visit's verifier redeems the code, for the business", async () => {
    const client = await createTestClient();
    await setFault(client, { operation: "authorize", foreign: "person", times: 1 });
    const { json } = await exchange(client, (await comeBack(client)).get("code"));
    const user = await client.call("GET", "/v1/user", { bearer: String(json["access_token"]) });
    expect(user.json).toMatchObject({ user_type: "business", id: client.businessUserId });
  });

  test("person: on the business's own visit, for another user", async () => {
    const client = await createTestClient();
    const { userId } = await insertTestUser(client);
    await setFault(client, { operation: "authorize", foreign: "person", times: 1 });
    const business = { userId: client.businessUserId, phone: client.businessUserPhone, email: "business@example.com" };
    const { json } = await exchange(client, (await comeBack(client, business)).get("code"));
    const user = await client.call("GET", "/v1/user", { bearer: String(json["access_token"]) });
    expect(user.json).toMatchObject({ user_type: "personal", id: userId });
  });

  test("person: on the business's own visit, a code isn't recorded as foreign if there's no other user", async () => {
    const client = await createTestClient();
    await setFault(client, { operation: "authorize", foreign: "person", times: 1 });
    const business = { userId: client.businessUserId, phone: client.businessUserPhone, email: "business@example.com" };
    const { json } = await exchange(client, (await comeBack(client, business)).get("code"));
    const user = await client.call("GET", "/v1/user", { bearer: String(json["access_token"]) });
    expect(user.json).toMatchObject({ id: client.businessUserId });
    const { events } = eventPage.parse((await client.call("GET", "/sandbox/events?kind=visit")).json);
    const authorized = events.filter((event) => event.kind === "visit" && event.step === "authorized");
    expect(authorized.map((event) => event.kind === "visit" && event.facts.foreign)).toEqual([undefined]);
  });

  /** The parameters of the redirect after a person authorized, a new one by default. */
  async function comeBack(client: TestClient, person?: TestPerson): Promise<URLSearchParams> {
    const visit = await openTestVisit(client, person ?? (await insertTestUser(client)));
    const outcome = await authorizeVisit(visit);
    return new URL(outcome.kind === "authorized" ? outcome.returnTo : "about:blank").searchParams;
  }

  function exchange({ call }: Caller, code: string | null) {
    const form = { grant_type: "authorization_code", code: code ?? "", redirect_uri: testRedirectUri };
    return call("POST", "/v1/oauth/token", { form });
  }
});

describe("DELETE /sandbox/faults", () => {
  test("200: every call of this client works again, without an extra query", async () => {
    const [client, other] = [await createTestClient(), await createTestClient()];
    await setFault(other, { operation: "createUserIntent", status: 500, times: 1 });
    await setFault(client, { operation: "createUserIntent", status: 500, times: 10_000 });
    await setFault(client, { operation: "readUser", latency_ms: 30_000, times: 1 });
    const answer = await client.call("DELETE", "/sandbox/faults");
    expect([answer.status, answer.json]).toEqual([200, { faults: [] }]);
    expect((await createIntent(client)).status).toBe(201);
    expect(await isMarked(client)).toBe(false);
    expect((await createIntent(other)).status).toBe(500);
  });
});

// Faults are counted, never random, even under concurrency.
describe("of twenty concurrent calls", () => {
  test.each([1, 5, 19])("exactly %s fail", async (times) => {
    const client = await createTestClient();
    await setFault(client, { operation: "readUserIntent", status: 500, times });
    const unknown = "/v1/user_intent/0198c0de-0000-7000-8000-000000000000";
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.call("GET", unknown)));
    expect(answers.filter(({ status }) => status === 500)).toHaveLength(times);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(20 - times);
  });

  test("a fault set while another is used up isn't lost", async () => {
    const client = await createTestClient();
    for (let round = 0; round < 10; round++) {
      await setFault(client, { operation: "createUserIntent", status: 500, times: 1 });
      await Promise.all([
        createIntent(client),
        setFault(client, { operation: "readUser", status: 500, times: round + 1 }),
      ]);
      expect([await isMarked(client), await timesLeft(client)]).toEqual([true, round + 1]);
    }
  });
});

function countRoutines({ clientId }: Caller): Promise<number> {
  return database().$count(routines, eq(routines.clientId, clientId));
}

type Caller = Pick<TestClient, "call" | "clientId">;

function setFault({ call }: Caller, body: unknown) {
  return call("PUT", "/sandbox/faults", { body });
}

function createIntent({ call }: Caller) {
  return call("POST", "/v1/user_intent", { body: personDetails({ phone: newPhone() }) });
}

async function timesLeft({ clientId }: Caller): Promise<number> {
  const rows = await database().select().from(faults).where(eq(faults.clientId, clientId));
  return rows.reduce((sum, { remaining }) => sum + remaining, 0);
}

async function isMarked({ clientId }: Caller): Promise<boolean | undefined> {
  const { isIntercepted } = clients;
  const [row] = await database().select({ isIntercepted }).from(clients).where(eq(clients.id, clientId));
  return row?.isIntercepted;
}

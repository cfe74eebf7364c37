import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import people from "../contract/examples/people.json" with { type: "json" };
import { listenOnFreePort } from "../kit/testing/http-listener.ts";
import { type FakeAnswer, startFakeService } from "../partner/testing/fake-service.ts";
import type { ObservedCall } from "./call-service.ts";
import { createClient } from "./create-client.ts";

const service = await startFakeService();
afterAll(service.stop);

const lines: Record<string, unknown>[] = [];
const keep = (entry: Record<string, unknown>, message: string) => void lines.push({ ...entry, message });
const settings = { baseUrl: service.url, clientId: "harbor", clientSecret: "secret", provider: "harbor" };
const log = { info: keep, warn: keep, error: keep };
const client = createClient({ ...settings, log });

beforeEach(() => {
  service.clear();
  lines.length = 0;
});

const payment = { name: "Lamps", amount: 12.5, source_id: "a", destination_id: "b" };
const key = "0190a3b2-0000-4000-8000-000000000001";

function pay(answer: FakeAnswer | "cut", by = client) {
  service.answer("POST /v1/routines/book", () => answer);
  return by.createBookRoutine("token-of-the-user", payment, { idempotencyKey: key });
}

function logged(message: string) {
  return lines.find((line) => line["message"] === message);
}

test("a payment goes to the configured path, under the configured names", async () => {
  const paths = {
    bookPath: "/v1/payments",
    bookFields: { name: "title", amount: "usd", source_id: "from", destination_id: "to" },
  };
  const otherClient = createClient({ ...settings, ...paths, accountsPath: "/v1/instruments" });
  service.answer("POST /v1/payments", ({ body }) => ({
    status: 201,
    body: { id: "r-1", transfer_id: "t-1", ...body },
  }));
  service.answer("GET /v1/instruments", () => ({ status: 200, body: { page: { list: [{ instrument_id: "a-1" }] } } }));
  expect(await otherClient.createBookRoutine("t", payment, { idempotencyKey: key })).toMatchObject({ kind: "ok" });
  expect(service.requestsOf("POST /v1/payments")[0]?.body).toEqual({ title: "Lamps", usd: 12.5, from: "a", to: "b" });
  expect(await otherClient.listAccounts("t")).toMatchObject({
    kind: "ok",
    body: { items: [{ id: "a-1" }], isWhole: true },
  });
});

test("after a 415 for JSON, sends token requests as forms", async () => {
  const types: unknown[] = [];
  service.answer("POST /v1/oauth/token", ({ headers, body }) => {
    types.push(headers["content-type"]);
    const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
    return isForm ? { status: 200, body: { access_token: body["code"] ?? "a", refresh_token: "r" } } : { status: 415 };
  });
  const otherClient = createClient(settings);
  const exchanged = await otherClient.exchangeCode({
    code: "a code & more",
    redirectUri: "https://harbor.example/callback",
  });
  expect(exchanged).toMatchObject({ kind: "ok", body: { access_token: "a code & more" } });
  expect(service.requests.at(-1)?.body).not.toHaveProperty("code_verifier");
  expect(await otherClient.refreshTokens("r")).toMatchObject({ kind: "ok" });
  const [json, form] = ["application/json", "application/x-www-form-urlencoded"];
  expect(types).toEqual([json, form, form]);
});

test("a 415 for a form too is the answer", async () => {
  service.answer("POST /v1/oauth/token", () => ({ status: 415 }));
  const otherClient = createClient(settings);
  for (const sent of [2, 3]) {
    expect(await otherClient.refreshTokens("r")).toMatchObject({ kind: "refused", status: 415 });
    expect(service.requests).toHaveLength(sent);
  }
});

test("after a 415 for JSON, each of several concurrent token requests is sent as a form", async () => {
  service.answer("POST /v1/oauth/token", ({ headers, body }) => {
    const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
    return isForm
      ? { status: 200, body: { access_token: body["refresh_token"], refresh_token: "r" } }
      : { status: 415 };
  });
  const otherClient = createClient(settings);
  const answers = await Promise.all(["r-1", "r-2", "r-3"].map((token) => otherClient.refreshTokens(token)));
  expect(answers).toMatchObject(["r-1", "r-2", "r-3"].map((access_token) => ({ kind: "ok", body: { access_token } })));
});

test("after a 415 for JSON, revokes tokens with a form", async () => {
  service.answer("POST /v1/oauth/revoke", ({ headers, body }) => {
    const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
    return { status: isForm && body["token"] === "r" ? 200 : 415 };
  });
  expect(await createClient(settings).revokeTokens("r")).toMatchObject({ kind: "ok" });
});

describe("finds a record anywhere in the body, and never a different one", () => {
  const transfer = { id: "t-1", status: "pending" };
  test.each([
    ["in an envelope", { money_movement: transfer }, "pending"],
    ["in an envelope next to a call status", { status: "success", data: transfer }, "pending"],
    ["next to other objects", { data: transfer, links: { id: "x" } }, "pending"],
    ["in an envelope without its id", { transfer: { status: "pending" } }, "pending"],
    ["with someone else's record inside", { status: "pending", owner: { id: "u-1", status: "approved" } }, "pending"],
    ["with its own id and another record inside", { ...transfer, owner: { id: "t-1", status: "x" } }, "pending"],
    ["under another name of the status", { data: { id: "t-1", state: "pending" } }, "pending"],
  ])("%s", async (_name, body, status) => {
    service.answer("GET /v1/transfers/{id}", () => ({ status: 200, body }));
    expect(await client.readTransfer("t", "t-1")).toMatchObject({ kind: "ok", body: { id: "t-1", status } });
  });

  test("a page that isn't a record is unreadable, even if the record's id is known", async () => {
    service.answer("GET /v1/transfers/{id}", () => ({ status: 200, text: "<html>maintenance</html>" }));
    expect(await client.readTransfer("t", "t-1")).toMatchObject({ kind: "unreadable" });
  });

  test("a payment's ids are its own, regardless of other ids", async () => {
    const movement = { id: "x-1", transfer_id: "t-1" };
    expect(await pay({ status: 201, body: { id: "r-1", movement } })).toMatchObject({ ids: { id: "r-1" } });
    const beside = { id: "r-1", transfer: { id: "t-1" }, movement };
    expect(await pay({ status: 201, body: beside })).toMatchObject({ body: { id: "r-1", transfer_id: "t-1" } });
    const inside = { status: "success", data: { id: "r-1", transfer_id: "t-1", status: "pending" } };
    expect(await pay({ status: 201, body: inside })).toMatchObject({ body: { id: "r-1", status: "pending" } });
  });

  test("finds tokens in an envelope, and half a pair is none", async () => {
    service.answer("POST /v1/oauth/token", () => ({
      status: 200,
      body: { grant: { access_token: "a", refresh_token: "r" }, user: { id: "u-1" } },
    }));
    expect(await client.refreshTokens("r")).toMatchObject({ kind: "ok", body: { access_token: "a" } });
    service.answer("POST /v1/oauth/token", () => ({ status: 200, body: { grant: { access_token: "a" } } }));
    expect(await client.refreshTokens("r")).toMatchObject({ kind: "unreadable" });
  });
});

test("a plain sentence becomes the description, and an HTML page doesn't", async () => {
  service.answer("GET /v1/user", () => ({ status: 403, text: "token expired" }));
  expect(await client.readUser("t")).toMatchObject({ reason: "unknown", description: "token expired" });
  service.answer("GET /v1/user", () => ({ status: 403, text: "<p>token expired</p>" }));
  expect(await client.readUser("t")).toMatchObject({ reason: "unknown", description: "" });
});

describe("a list", () => {
  const transfers = [{ id: "t-1" }, { id: "t-2" }];
  test.each([
    ["is complete if it is shorter than a page", { transfers }, { isWhole: true, isLast: true }],
    ["may not be if it fills a page", { transfers: [...transfers, { id: "t-3" }] }, { isWhole: true, isLast: false }],
    ["can be the body itself", transfers, { items: [{ id: "t-1" }, { id: "t-2" }], isLast: true }],
    ["isn't if the answer hints at more", { transfers, has_more: true }, { isWhole: true, isLast: false }],
    ["isn't if its envelope hints at more", { data: transfers, page: { has_more: true } }, { isLast: false }],
    ["isn't if one of a full page is unreadable", { transfers: [...transfers, {}] }, { isWhole: false, isLast: false }],
    [
      "is found inside its name",
      { transfers: { data: transfers }, errors: [] },
      { items: [{ id: "t-1" }, { id: "t-2" }] },
    ],
  ])("%s", async (_name, body, page) => {
    service.answer("GET /v1/transfers", () => ({ status: 200, body }));
    expect(await client.listTransfers("t", { limit: 3 })).toMatchObject({ kind: "ok", body: page });
  });

  test.each([{ accounts: null, errors: [] }, { errors: [] }, { data: { warnings: [] } }])(
    "isn't taken from another name: %j",
    async (body) => {
      service.answer("GET /v1/accounts", () => ({ status: 200, body }));
      expect(await client.listAccounts("t")).toMatchObject({ kind: "unreadable" });
    },
  );
});

describe("is unreachable only without any response", () => {
  test("when nothing listens", async () => {
    const { url, stop } = await listenOnFreePort(() => {});
    await stop();
    const unreachable = createClient({ ...settings, baseUrl: url, log });
    expect(await unreachable.readUser("t")).toMatchObject({ kind: "unreachable", cause: "no_connection" });
    expect(logged("the service did not answer")).toMatchObject({ description: expect.stringMatching(/\w/) });
  });

  test.each([
    ["connect", "no_connection"],
    ["read", "cut"],
    ["write", "cut"],
  ])("when the network is lost during a %s, which means %s", async (syscall, cause) => {
    const reason = Object.assign(new Error(`${syscall} EHOSTUNREACH`), { code: "EHOSTUNREACH", syscall });
    const failing = vi
      .spyOn(globalThis, "fetch")
      .mockRejectedValueOnce(new TypeError("fetch failed", { cause: reason }));
    expect(await client.readUser("t")).toMatchObject({ kind: "unreachable", cause });
    failing.mockRestore();
  });

  test.each([
    ["base address", { baseUrl: "harbor.example" }],
    ["scheme", { baseUrl: "localhost:4000" }],
    ["header's name", { idempotencyHeader: "idempotency key" }],
  ])("when a malformed %s keeps it from being sent", async (_name, malformed) => {
    const unreachable = createClient({ ...settings, ...malformed, log });
    expect(await pay({ status: 201 }, unreachable)).toMatchObject({ kind: "unreachable", cause: "no_connection" });
  });

  test("when the connection is cut", async () => {
    expect(await pay("cut")).toMatchObject({ kind: "unreachable", cause: "cut" });
  });

  test("when a read's response body is cut off; a payment's is unreadable instead", async () => {
    const { url, stop } = await listenOnFreePort((request, response) => {
      response.writeHead(request.method === "GET" ? 200 : 201, { "content-length": 500 });
      response.write('{"id": "r-1"', () => response.destroy());
    });
    const cutOff = createClient({ ...settings, baseUrl: url, log });
    expect(await cutOff.readTransfer("t", "t-1")).toMatchObject({ kind: "unreachable", cause: "cut" });
    expect(await cutOff.createBookRoutine("t", payment, { idempotencyKey: key })).toMatchObject({ kind: "unreadable" });
    await stop();
  });

  test("when a read's response body is too large to hold: over 8 MB", async () => {
    const text = JSON.stringify({ id: "t-1" }).padEnd(8 * 1024 * 1024);
    service.answer("GET /v1/transfers/t-1", () => ({ status: 200, text }));
    expect(await client.readTransfer("t", "t-1")).toMatchObject({ kind: "ok", body: { id: "t-1" } });
    service.answer("GET /v1/transfers/t-1", () => ({ status: 200, text: `${text} ` }));
    expect(await client.readTransfer("t", "t-1")).toMatchObject({ kind: "unreachable", cause: "cut" });
  });

  test("when it takes too long", async () => {
    service.answer("GET /v1/user", () => new Promise((resolve) => setTimeout(() => resolve({ status: 200 }), 1000)));
    const impatient = createClient({ ...settings, log, timeoutMs: 300 });
    expect(await impatient.readUser("t")).toMatchObject({ kind: "unreachable", cause: "timeout" });
  });
});

test("an id with half of a surrogate pair is sent, because calls never throw", async () => {
  expect(await client.readTransfer("t", "\ud800")).toMatchObject({ kind: "refused", status: 404 });
});

test.each([
  ["nothing", { status: 201 }, {}],
  ["a page of HTML", { status: 200, text: "<title>One moment</title>" }, {}],
  ["another shape", { status: 201, body: { result: "done" } }, {}],
  ["its id alone", { status: 201, body: { id: 7 } }, { id: "7" }],
  ["its transfer's id alone", { status: 201, body: { transfer_id: "t-1" } }, { transfer_id: "t-1" }],
  ["its address alone", { status: 201, headers: { location: "/v1/routines/r-1?x=1" } }, { id: "r-1" }],
] as const)("a success with %s is an answer, with the ids that could be read", async (_name, answer, ids) => {
  const paid = await pay(answer);
  expect(paid).toMatchObject({ kind: "unreadable", status: answer.status });
  expect(paid.kind === "unreadable" && paid.ids).toEqual(ids);
  expect(logged("the service's answer could not be read")).toMatchObject({
    problems: expect.arrayContaining([expect.objectContaining({ message: expect.stringMatching(/\w/) })]),
  });
});

test("a success nested too deeply to be read is an answer", async () => {
  const nested = (open: string, close: string) => `${open.repeat(200_000)}1${close.repeat(200_000)}`;
  const text = `{"id": "r-1", "transfer_id": "t-1", "amount": ${nested("[", "]")}}`;
  expect(await pay({ status: 201, text })).toMatchObject({ kind: "unreadable" });
  service.answer("GET /v1/accounts", () => ({ status: 200, text: nested('{"accounts":', "}") }));
  expect(await client.listAccounts("t")).toMatchObject({ kind: "unreadable" });
});

test.each([
  ["ours", { reason: "not_found", description: "Gone." }, "not_found", "Gone."],
  ["of RFC 6749", { error: "invalid_grant", error_description: "Gone." }, "invalid_grant", "Gone."],
  ["of RFC 9457", { type: "about:blank", title: "Gone", detail: "Gone." }, "about:blank", "Gone."],
  ["with an object", { error: { code: "gone", message: "Gone." } }, "gone", "Gone."],
  ["with a list", { errors: [{ code: "gone", message: "Gone." }] }, "gone", "Gone."],
  ["that can't be stored", { reason: "gone\0", description: "Gone\ud800" }, "gone\ufffd", "Gone\ufffd"],
  ["that is none", "Gone.", "unknown", ""],
])("reads the reason of an error body %s, and logs it", async (_name, body, reason, description) => {
  expect(await pay({ status: 422, body })).toMatchObject({ kind: "refused", status: 422, reason, description });
  expect(logged("the service refused")).toMatchObject({ status: 422, reason, description });
});

test("says which fields were refused and under which id, in the answer's header or its body", async () => {
  const errors = [{ field: "amount", message: "Too much." }, { field: "name" }, "name"];
  const body = { reason: "invalid_request", errors, request_id: "in-the-body" };
  const refusedField = { field: "amount", message: "Too much." };
  expect(await pay({ status: 400, body })).toMatchObject({ errors: [refusedField], requestId: "in-the-body" });
  const unstorable = { errors: [{ field: "na\0me", message: "Too\0 long." }] };
  const stored = { field: "na\ufffdme", message: "Too\ufffd long." };
  expect(await pay({ status: 400, body: unstorable })).toMatchObject({ errors: [stored] });
  const headers = { "request-id": "in-the-header" };
  expect(await pay({ status: 400, body, headers })).toMatchObject({ requestId: "in-the-header" });
  expect(await pay({ status: 400, body: { request_id: 7 } })).toMatchObject({ errors: [], requestId: undefined });
});

test("a redirect is an answer, and is not followed", async () => {
  service.answer("GET /elsewhere", () => ({ status: 200, body: { id: "r", transfer_id: "t" } }));
  expect(await pay({ status: 307, headers: { location: "/elsewhere" } })).toMatchObject({
    kind: "refused",
    status: 307,
  });
  expect(service.requestsOf("GET /elsewhere")).toHaveLength(0);
});

test("logs what it doesn't need and can't read, and uses the rest", async () => {
  await pay({ status: 201, body: { id: "r-1", transfer_id: "t-1", amount: 12.5 } });
  expect(logged("the service's answer could not be read in part")).toBeUndefined();
  const body = { id: "r-1", transfer_id: "t-1", created_at: "yesterday", status: { word: "active" }, amount: ["lots"] };
  expect(await pay({ status: 201, body })).toMatchObject({ kind: "ok", body: { id: "r-1", status: undefined } });
  const { problems } = logged("the service's answer could not be read in part") ?? {};
  expect(problems).toEqual([
    { field: "amount", message: "was not understood: an array of 1" },
    { field: "status", message: "was not understood: a value of type object" },
    { field: "created_at", message: "was not understood: a string of 9 characters" },
  ]);
  expect(await pay({ status: 201, body: { transfer_id: null } })).toMatchObject({
    problems: [
      { field: "id", message: "was not understood: missing" },
      { field: "transfer_id", message: "was not understood: null" },
    ],
  });
});

test.each([
  [{ voided: true }, { kind: "ok", body: { voided: true }, isReplay: false }],
  [
    { voided: false, routine: { id: "r-1" } },
    { kind: "ok", body: { voided: false, routine: { id: "r-1" } } },
  ],
  [{ voided: false }, { kind: "unreadable" }],
  [{ voided: "no", routine: { id: "r-1" } }, { kind: "unreadable" }],
  [{ routine: { id: "r-1" } }, { kind: "unreadable" }],
])("takes a key for voided, or for used, only if the answer says so: %j", async (body, answer) => {
  service.answer("POST /v1/routines/book/void", () => ({ status: 200, body }));
  expect(await client.voidBookRoutine("t", { idempotencyKey: key })).toMatchObject(answer);
  expect(service.requests.at(-1)?.headers).toMatchObject({ authorization: "Bearer t", "idempotency-key": key });
});

test("logs no secret or personal data, regardless of the service's answer", async () => {
  const secrets = {
    access_token: "secret-access-1",
    jwt: "eyJhbGciOi.secret-access-2.abcdefghijkl",
    data: { first_name: "Secretmarta", ssn: "519551234", phone: 14155550100 },
    message: "Call +1 415 555 0100 or secret@example.com about secret-access-333333333333",
  };
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: secrets }));
  expect(await client.refreshTokens("secret-refresh")).toMatchObject({ kind: "unreadable" });
  await pay({ status: 400, body: secrets });
  await pay({ status: 500, text: `<p>${Object.values(secrets).join(" ")}</p>` });
  const text = JSON.stringify(lines);
  expect(text).toContain("refresh_token");
  expect(text).not.toMatch(
    /secret-(access|refresh)|Secretmarta|519551234|4155550100|415 555|secret@|token-of-the-user/,
  );
  expect(Math.max(...lines.map((line) => String(line["excerpt"] ?? "").length))).toBeLessThanOrEqual(300);
});

test("tokens that no header can carry are unreadable, so that no error quotes them", async () => {
  for (const access_token of ["", "secret\naccess", "secret-€"]) {
    service.answer("POST /v1/oauth/token", () => ({ status: 200, body: { access_token, refresh_token: "r" } }));
    const problems = [{ field: "access_token" }];
    expect(await client.refreshTokens("r")).toMatchObject({ kind: "unreadable", problems });
  }
});

test("logs the name of a refused field, but not of an account, a payment or a person", async () => {
  const body = { name: "Marta's rent", accounts: [{ name: "Quay" }], refused: [{ name: "memo", reason: "too long" }] };
  await pay({ status: 201, body });
  const [name, accounts] = ["text of 12", [{ name: "text of 4" }]];
  const excerpt = JSON.stringify({ name, accounts, refused: [{ name: "memo", reason: "too long" }] });
  expect(logged("the service's answer could not be read")).toMatchObject({ excerpt });
});

test("logs the shape of an unreadable body: four levels deep, two items of a list, twenty fields", async () => {
  await pay({ status: 201, body: { list: [1, true, 3], one: { two: { three: { four: { five: 5 } } } } } });
  await pay({ status: 201, body: { lists: [[["a"], [["deep"]]]] } });
  const fields = [..."abcdefghijklmnopqrst"].map((name) => [name, null]);
  await pay({ status: 201, body: Object.fromEntries([...fields, ["u", null]]) });
  const shapes = [
    { list: ["number", true], one: { two: { three: { four: "…" } } } },
    { lists: [[["text of 1"], ["…"]]] },
    Object.fromEntries(fields),
  ];
  const excerpts = lines.flatMap(({ excerpt }) => (excerpt === undefined ? [] : [excerpt]));
  expect(excerpts).toEqual(shapes.map((shape) => JSON.stringify(shape)));
});

test("sends the key in the configured header, and reports a replayed answer", async () => {
  const otherClient = createClient({ ...settings, idempotencyHeader: "x-request-key" });
  const body = { id: "r-1", transfer_id: "t-1" };
  const replayed = await pay({ status: 201, body, headers: { "idempotent-replayed": "true" } }, otherClient);
  expect(replayed).toMatchObject({ kind: "ok", isReplay: true });
  const [request] = service.requestsOf("POST /v1/routines/book");
  expect(request?.headers["x-request-key"]).toBe(key);
  expect(request?.headers["idempotency-key"]).toBeUndefined();
  expect(await pay({ status: 201, body })).toMatchObject({ isReplay: false });
});

test("omits and reports unreadable list items, and never treats an unreadable list as empty", async () => {
  const list = (accounts: unknown) => {
    service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts } }));
    return client.listAccounts("t");
  };
  expect(await list([{ id: "a" }, { name: "no id" }])).toMatchObject({
    body: { items: [{ id: "a" }], isWhole: false },
  });
  expect(await list([{ name: "no id" }])).toMatchObject({ kind: "unreadable" });
  expect(await list("many")).toMatchObject({ kind: "unreadable" });
  expect(await list([])).toMatchObject({ body: { items: [], isWhole: true } });
  for (const body of [null, "none", 0, {}]) {
    service.answer("GET /v1/accounts", () => ({ status: 200, text: JSON.stringify(body) }));
    expect(await client.listAccounts("t")).toMatchObject({ kind: "unreadable" });
  }
});

test("an amount in another currency isn't read as dollars", async () => {
  const account = { id: "a", currency: "EUR", available_balance: 12.5, current_balance: "x" };
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [account] } }));
  const answer = await client.listAccounts("t");
  expect(answer).toMatchObject({ body: { items: [{ available_balance: { kind: "unknown", written: "12.5 EUR" } }] } });
});

test.each([
  [undefined, 7200],
  [null, 7200],
  ["soon", 7200],
  ["60", 60],
  [59.9, 59],
  [-1, 0],
  [1e12, 864_000],
])("takes a lifetime of %s as %s seconds", async (expires_in, seconds) => {
  const body = { access_token: "a", refresh_token: "r", expires_in };
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body }));
  expect(await client.refreshTokens("r")).toMatchObject({ kind: "ok", body: { expires_in: seconds } });
});

describe("a service that asks to wait", () => {
  const requests = () => service.requestsOf("GET /v1/user").length;
  function busy(headers: Record<string, string>, status = 503): void {
    service.answer("GET /v1/user", () => ({ status, body: { reason: "busy" }, headers }));
  }

  test.each([429, 503])("with %i doesn't get the same call before then", async (status) => {
    const client = createClient(settings);
    busy({ "retry-after": "1" }, status);
    const first = await client.readUser("t");
    const startedAt = performance.now();
    expect(await client.readUser("t")).toEqual(first);
    expect(requests()).toBe(1);
    service.answer("GET /v1/user", () => ({ status: 200, body: { id: "u" } }));
    await expect.poll(async () => (await client.readUser("t")).kind).not.toBe("refused");
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(requests()).toBe(2);
  });

  test("gets no call before its retry-after date", async () => {
    const client = createClient(settings);
    busy({ "retry-after": new Date(Date.now() + 60_000).toUTCString() });
    for (let round = 0; round < 3; round++) await client.readUser("t");
    expect(requests()).toBe(1);
  });

  test("still gets other calls: for another user, or with another key", async () => {
    const client = createClient(settings);
    busy({ "retry-after": "60" });
    for (const token of ["a", "b", "a"]) await client.readUser(token);
    expect(requests()).toBe(2);
    const answer = () => ({ status: 503, headers: { "retry-after": "60" } });
    await pay(answer(), client);
    await pay(answer(), client);
    await client.createBookRoutine("token-of-the-user", payment, { idempotencyKey: key.replace("1", "2") });
    expect(service.requestsOf("POST /v1/routines/book")).toHaveLength(2);
  });

  test.each([
    ["says no time", 503, {}],
    ["says something else", 503, { "retry-after": "soon" }],
    ["says a time that is over", 503, { "retry-after": new Date(Date.now() - 1000).toUTCString() }],
    ["fails in another way", 500, { "retry-after": "60" }],
  ])("is called again right away when it %s", async (_name, status, headers) => {
    const client = createClient(settings);
    busy(headers as Record<string, string>, status);
    await client.readUser("t");
    await client.readUser("t");
    expect(requests()).toBe(2);
  });
});

describe("an observer", () => {
  const observed: ObservedCall[] = [];
  const watched = createClient({ ...settings, observe: (call) => void observed.push(call) });
  beforeEach(() => {
    observed.length = 0;
  });

  test("gets each call once it is over, as it was on the wire", async () => {
    const body = { id: "r", transfer_id: "t", amount: "much" };
    await pay({ status: 201, body, headers: { "request-id": "q-1" } }, watched);
    expect(observed).toMatchObject([
      {
        method: "POST",
        path: "/v1/routines/book",
        headers: { authorization: "Bearer token-of-the-user", "idempotency-key": key },
        body: payment,
        answer: { kind: "ok", status: 201 },
        response: { text: JSON.stringify(body), requestId: "q-1" },
        problems: [{ field: "amount" }],
        durationMs: expect.any(Number),
      },
    ]);
    expect(service.requests[0]?.headers["traceparent"]).toContain(observed[0]?.traceId);
  });

  test("gets refusals too, and calls without a response", async () => {
    await pay({ status: 422 }, watched);
    await pay("cut", watched);
    expect(observed).toMatchObject([
      { answer: { kind: "refused", status: 422 }, response: { text: "" } },
      { answer: { kind: "unreachable", cause: "cut" }, response: undefined },
    ]);
  });

  test("that throws changes nothing, and is logged", async () => {
    const observe = () => {
      throw new Error("no room");
    };
    const paid = await pay(
      { status: 201, body: { id: "r", transfer_id: "t" } },
      createClient({ ...settings, log, observe }),
    );
    expect(paid).toMatchObject({ kind: "ok" });
    expect(logged("observing a call failed")).toBeDefined();
  });
});

describe("a call's trace", () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const sent = () => service.requests.map(({ headers }) => String(headers["traceparent"]).split("-")[1]);

  test("is the current one, if there is one, and otherwise new", async () => {
    await createClient({ ...settings, currentTraceId: () => traceId }).readUser("t");
    await client.readUser("t");
    expect(sent()).toEqual([traceId, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(sent()[1]).not.toBe(traceId);
  });

  test("is the one that the caller names, whatever the call", async () => {
    const traced = createClient({ ...settings, currentTraceId: () => "f".repeat(32) });
    const [options, withKey] = [{ traceId }, { traceId, idempotencyKey: key }];
    const calls = [
      traced.createUserIntent({ ...people.UserIntentCreation }, withKey),
      traced.readUserIntent("i-1", options),
      traced.createIdentityVerificationToken({ customerId: "c-1", subject: { user_id: "u-1" } }, options),
      traced.readAuthorizationServerMetadata(options),
      traced.exchangeCode({ code: "c", redirectUri: "https://harbor.example/callback" }, options),
      traced.refreshTokens("r", options),
      traced.revokeTokens("r", options),
      traced.readUser("t", options),
      traced.listAccounts("t", options),
      traced.createBookRoutine("t", payment, withKey),
      traced.voidBookRoutine("t", withKey),
      traced.readRoutine("t", "r-1", options),
      traced.listRoutines("t", { limit: 1, ...options }),
      traced.readTransfer("t", "t-1", options),
      traced.listTransfers("t", { limit: 1, ...options }),
    ];
    await Promise.all(calls);
    expect(sent()).toEqual(calls.map(() => traceId));
  });
});

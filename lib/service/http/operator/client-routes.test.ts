import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorBody } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { clientChange, managedClient, managedClientList } from "../../../contract/operator.ts";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { newId } from "../../../kit/ids.ts";
import { type FakeServer, startFakeServer } from "../../../kit/testing/fake-server.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import type { WakeLoop } from "../../../kit/wake-loop.ts";
import { reconcile } from "../../operations/money/reconcile.ts";
import { answerAuthorizationRequest } from "../../pages/authorization-entry.ts";
import { inTransaction, servicePool } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import { createTestClient, type TestClient, testRedirectUri } from "../../testing/clients.ts";
import { settled } from "../../testing/deliveries.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { callOperator, changeByOperator, changesOf, operatorSettings, rowsOfClient } from "../../testing/operator.ts";
import {
  createIntent,
  insertTestIntent,
  insertTestPhotoId,
  insertTestUser,
  personDetails,
  testPhotoId,
} from "../../testing/people.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { authorizationQuery, openTestVisit } from "../../testing/visits.ts";
import { startWebhookSender } from "../../workers/start-workers.ts";
import { operatorRoutes } from "./client-routes.ts";

Object.assign(process.env, operatorSettings);

const newClientId = () => `shop-${newId()}`;

/** A client created by an operator, with its business. */
async function createShop(more: Record<string, unknown> = {}) {
  const clientId = newClientId();
  const created = await callOperator("POST", "/clients", {
    body: { by: "dana", client_id: clientId, name: "Corner Shop", ...more },
  });
  const opened = await changeByOperator(clientId, "business", {
    first_name: "Corner",
    last_name: "Shop",
    email: "books@shop.example",
    phone: newPhone(),
  });
  const { secrets = {} } = clientChange.parse(created.json);
  return { clientId, secrets, accountId: String(clientChange.parse(opened.json).details["account_id"]) };
}

const hoursUntil = (time: string | null) => (Date.parse(time ?? "") - Date.now()) / 3_600_000;

async function show(clientId: string) {
  return managedClient.parse((await callOperator("GET", `/clients/${clientId}`)).json);
}

describe("the operator's token", () => {
  const wrong = [
    ["none", null, "missing_token"],
    ["a client's credentials", basicCredentials("shop", "secret"), "missing_token"],
    ["another one", "Bearer another-token-of-32-characters-or-more", "invalid_token"],
    ["two", "Bearer a b", "invalid_token"],
  ] as const;

  test.each(wrong)("401: %s, at every path, and nothing changes", async (_, authorization, reason) => {
    const { clientId } = await createTestClient();
    const before = await rowsOfClient(clientId);
    for (const { method, path } of operatorRoutes) {
      const body = method === "POST" ? { by: "dana" } : undefined;
      const answer = await callOperator(method, path.replace(":client_id", clientId), { body, authorization });
      expect([answer.status, errorBody.parse(answer.json).reason]).toEqual([401, reason]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer realm="Plainbook"/);
    }
    expect(await rowsOfClient(clientId)).toEqual(before);
  });

  test("200: the document needs no token, and lists every operation", async () => {
    const answer = await callOperator("GET", "/openapi.json", { authorization: null });
    expect(answer.status).toBe(200);
    for (const { operation } of operatorRoutes) expect(answer.text).toContain(`"operationId":"${operation}"`);
    expect(answer.text).not.toMatch(/sandbox|accessToken|clientCredentials/i);
  });
});

describe("invalid requests", () => {
  test("404: an unknown client at every path, and another path; 405: another method", async () => {
    const about = operatorRoutes.filter(({ path }) => path.includes(":client_id"));
    const bodies: Record<string, object> = {
      "rotate-secret": { secret: "client" },
      redirects: { add: [testRedirectUri] },
      webhook: { url: null },
      trusted: { enabled: false },
      business: { phone: newPhone() },
      fund: { amount: 1, treasury: "Bank", reference: "1" },
      reverse: { reference: "1" },
      decide: { user_id: newId(), status: "approved" },
      photo: { user_id: newId() },
      redeliver: { webhook_id: newId() },
    };
    for (const { method, path } of about) {
      const action = path.split("/")[3] ?? "";
      const body = method === "POST" ? { by: "dana", ...bodies[action] } : undefined;
      const answer = await callOperator(method, path.replace(":client_id", "nobody"), { body });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(errorBody.parse(answer.json).reason).toBe("not_found");
    }
    expect((await callOperator("GET", "/clients/%00")).status).toBe(404);
    expect((await callOperator("GET", "/v1/user")).status).toBe(404);
    expect((await callOperator("DELETE", "/clients")).status).toBe(405);
  });

  // [action, body, the invalid field]
  const wrong: [string, Record<string, unknown>, string][] = [
    ["rotate-secret", {}, "secret"],
    ["rotate-secret", { secret: "session" }, "secret"],
    ["rotate-secret", { secret: "webhook", value: "a-secret-of-32-characters-or-more" }, "value"],
    ["rotate-secret", { secret: "customer_endpoint", value: "too-short" }, "value"],
    ["rotate-secret", { secret: "customer_endpoint", value: "a secret of 32 characters with spaces" }, "value"],
    ["reverse", {}, "reference"],
    ["reverse", { reference: "never posted" }, "reference"],
    ["redirects", {}, "add"],
    ["redirects", { add: ["shop.example"] }, "add.0"],
    ["redirects", { add: ["https://shop.example/#top"] }, "add.0"],
    ["redirects", { add: ["https://shop.example/a;b"] }, "add.0"],
    ["redirects", { add: ["https://shop.example/café"] }, "add.0"],
    ["redirects", { add: [testRedirectUri] }, "add"],
    ["redirects", { add: ["https://a.example/", "https://a.example/"] }, "add"],
    ["redirects", { add: Array.from({ length: 20 }, (_, index) => `https://a.example/${index}`) }, "add"],
    ["redirects", { remove: ["https://nowhere.example/"] }, "remove"],
    ["webhook", {}, "url"],
    ["webhook", { url: "ftp://shop.example" }, "url"],
    ["webhook", { url: "http://10.255.255.1/hooks" }, "url"],
    ["trusted", { enabled: true, customers_url: "http://[fd00::1]/" }, "customers_url"],
    ["trusted", { enabled: "yes" }, "enabled"],
    ["trusted", { enabled: true }, "customers_url"],
    ["trusted", { enabled: false, provider: "" }, "provider"],
    ["business", {}, "first_name"],
    ["business", { phone: "555 0100" }, "phone"],
    ["business", { email: "books" }, "email"],
    ["fund", { amount: 0, treasury: "Bank", reference: "1" }, "amount"],
    ["fund", { amount: 1.005, treasury: "Bank", reference: "1" }, "amount"],
    ["fund", { amount: "1", treasury: "Bank", reference: "1" }, "amount"],
    ["fund", { amount: 1, treasury: " ", reference: "1" }, "treasury"],
    ["fund", { amount: 1, treasury: "Bank" }, "reference"],
    ["fund", { amount: 1, treasury: "Bank", reference: "1 " }, "reference"],
    ["fund", { amount: 1, treasury: " Bank", reference: "1" }, "treasury"],
    ["fund", { amount: 1, treasury: "Bank", reference: "1", account_id: "x" }, "account_id"],
    ["fund", { amount: 1, treasury: "Bank", reference: "1", account_id: newId() }, "account_id"],
    ["photo", {}, "user_id"],
    ["photo", { user_id: newId() }, "user_id"],
    ["decide", { status: "approved" }, "user_id"],
    ["decide", { user_id: newId(), user_intent_id: newId(), status: "approved" }, "user_id"],
    ["decide", { user_id: newId(), status: "approved" }, "user_id"],
    ["decide", { user_intent_id: newId(), status: "approved" }, "user_intent_id"],
    ["decide", { user_intent_id: newId(), status: "suspended" }, "status"],
    ["decide", { user_id: newId(), status: "converted_to_user" }, "status"],
    ["decide", { user_id: newId(), status: "approved", rejection_reasons: [] }, "rejection_reasons"],
    ["redeliver", {}, "since"],
    ["redeliver", { webhook_id: newId(), since: "2026-01-31T09:30:00Z" }, "since"],
    ["redeliver", { since: "yesterday" }, "since"],
    ["redeliver", { since: "2026-01-31T09:30:00Z", until: "2026-01-31T09:00:00Z" }, "until"],
    ["redeliver", { since: "2026-01-31T09:30:00.500Z", until: "2026-01-31T09:30:00Z" }, "until"],
    ["redeliver", { webhook_id: newId() }, "client_id"],
    ["enable", {}, "client_id"],
    ["disable", { by: "" }, "by"],
    ["disable", { by: "x".repeat(101) }, "by"],
    ["disable", { because: "fraud" }, "because"],
    ["disable", { dry_run: "yes" }, "dry_run"],
  ];
  test.each(wrong)("400: %s %j names the field, and changes nothing", async (action, body, field) => {
    const { clientId } = await createTestClient();
    const before = await rowsOfClient(clientId);
    const answer = await changeByOperator(clientId, action, body);
    expect([answer.status, errorBody.parse(answer.json).errors?.map((problem) => problem.field)]).toEqual([
      400,
      [field],
    ]);
    expect(await rowsOfClient(clientId)).toEqual(before);
  });

  test.each([
    [{ client_id: "" }, "client_id"],
    [{ client_id: "a shop" }, "client_id"],
    [{ name: "" }, "name"],
    [{ redirect_uris: ["/callback"] }, "redirect_uris.0"],
    [{ webhook_url: "shop" }, "webhook_url"],
    [{ customers_url: 1 }, "customers_url"],
    [{ trusted_authentication: true }, "customers_url"],
    [{ by: undefined }, "by"],
  ])("400: a new client with %j", async (change, field) => {
    const body = { by: "dana", client_id: newClientId(), name: "Corner Shop", ...change };
    const answer = await callOperator("POST", "/clients", { body });
    expect([answer.status, errorBody.parse(answer.json).errors?.map((problem) => problem.field)]).toEqual([
      400,
      [field],
    ]);
    expect((await callOperator("GET", `/clients/${body.client_id || "nobody"}`)).status).not.toBe(200);
  });

  test("400: invalid JSON; 413: an oversized body", async () => {
    const { clientId } = await createTestClient();
    expect((await callOperator("POST", `/clients/${clientId}/disable`, { body: "{" })).status).toBe(400);
    const large = JSON.stringify({ by: "x".repeat(70_000) });
    expect((await callOperator("POST", `/clients/${clientId}/disable`, { body: large })).status).toBe(413);
    expect(await changesOf(clientId)).toEqual([]);
  });
});

describe("a client", () => {
  test("201: is created with secrets shown once; its id can't be reused", async () => {
    const { clientId, secrets } = await createShop({ redirect_uris: [testRedirectUri] });
    expect(Object.keys(secrets)).toEqual(["client_secret", "webhook_secret", "customer_endpoint_secret"]);
    const { text } = await callOperator("GET", `/clients/${clientId}`);
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    const { rows } = await servicePool().query(
      "select to_jsonb(c)::text || to_jsonb(o)::text as row from clients c join operator_changes o on o.client_id = c.id where c.id = $1",
      [clientId],
    );
    for (const secret of Object.values(secrets)) expect(JSON.stringify(rows)).not.toContain(secret);
    const body = { by: "dana", client_id: clientId, name: "Another" };
    const repeated = await callOperator("POST", "/clients", { body });
    expect([repeated.status, repeated.json["errors"]]).toMatchObject([400, [{ field: "client_id" }]]);
    expect(await show(clientId)).toMatchObject({ name: "Corner Shop", provider: clientId, webhook: { url: null } });
  });

  test("200: calls the API with its credentials, and for a day after a rotation with the previous ones", async () => {
    const { clientId, secrets } = await createShop();
    const { call } = await createTestClient();
    const statusWith = async (secret: string | undefined) => {
      const authorization = basicCredentials(clientId, secret ?? "");
      return (await call("GET", `/v1/user_intent/${newId()}`, { authorization })).status;
    };
    const rotate = async (more = {}) => {
      const { json } = await changeByOperator(clientId, "rotate-secret", { secret: "client", ...more });
      return clientChange.parse(json).secrets?.["client_secret"];
    };
    const first = secrets["client_secret"];
    expect(await statusWith(first)).toBe(404);
    const second = await rotate();
    expect([await statusWith(first), await statusWith(second), await statusWith("gwk_other")]).toEqual([404, 404, 401]);
    expect(hoursUntil((await show(clientId)).previous_secret_expires_at)).toBeCloseTo(24, 1);
    const past = "update clients set previous_secret_ends_real_at = now() - interval '1 second' where id = $1";
    await servicePool().query(past, [clientId]);
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 404]);
    const third = await rotate({ at_once: true });
    expect([await statusWith(first), await statusWith(second), await statusWith(third)]).toEqual([401, 401, 404]);
  });

  test("200: rotates its webhook secret; the old one signs for another day, or stops at once", async () => {
    const { clientId, secrets } = await createShop();
    const { json } = await changeByOperator(clientId, "rotate-secret", { secret: "webhook" });
    expect(clientChange.parse(json).secrets?.["webhook_secret"]).not.toBe(secrets["webhook_secret"]);
    expect(hoursUntil((await show(clientId)).webhook.previous_secret_expires_at)).toBeCloseTo(24, 1);
    await changeByOperator(clientId, "rotate-secret", { secret: "webhook", at_once: true });
    expect(hoursUntil((await show(clientId)).webhook.previous_secret_expires_at)).toBeLessThanOrEqual(0);
    const customers = await changeByOperator(clientId, "rotate-secret", { secret: "customer_endpoint" });
    expect(clientChange.parse(customers.json).secrets).toEqual({
      customer_endpoint_secret: expect.stringMatching(/^gwe_/),
    });
    const value = "a-secret-that-the-client-accepts-already";
    const given = await changeByOperator(clientId, "rotate-secret", { secret: "customer_endpoint", value });
    expect(clientChange.parse(given.json).secrets).toEqual({ customer_endpoint_secret: value });
    expect(JSON.stringify(await changesOf(clientId))).not.toContain(value);
  });

  test.each([
    ["client", "previous_secret_ends_real_at", "clients", "id"],
    ["webhook", "previous_secret_expires_at", "webhook_endpoints", "client_id"],
  ])(
    "400: a %s secret isn't replaced while the one before it is valid, unless at once",
    async (secret, end, table, key) => {
      const { clientId } = await createShop();
      const rotate = (more = {}) => changeByOperator(clientId, "rotate-secret", { secret, ...more });
      const rowOf = async () =>
        (await servicePool().query(`select * from ${table} where ${key} = $1`, [clientId])).rows[0];
      expect((await rotate()).status).toBe(200);
      const before = await rowOf();
      const refused = await rotate();
      expect([refused.status, refused.json["errors"]]).toMatchObject([400, [{ field: "secret" }]]);
      expect(await rowOf()).toEqual(before);
      await servicePool().query(`update ${table} set ${end} = now() where ${key} = $1`, [clientId]);
      expect((await rotate()).status).toBe(200);
      expect((await rotate({ at_once: true })).status).toBe(200);
      expect((await rotate()).status).toBe(200);
    },
  );

  test("200: changes only the given settings", async () => {
    const { clientId } = await createShop({ redirect_uris: ["https://a.example/"] });
    await changeByOperator(clientId, "redirects", { add: ["https://b.example/"], remove: ["https://a.example/"] });
    await changeByOperator(clientId, "webhook", { url: "https://shop.example/webhooks" });
    await changeByOperator(clientId, "trusted", {
      enabled: true,
      customers_url: "https://shop.example",
      provider: "shop",
    });
    await changeByOperator(clientId, "trusted", { enabled: false });
    const phone = newPhone();
    await changeByOperator(clientId, "business", { phone });
    expect(await show(clientId)).toMatchObject({
      redirect_uris: ["https://b.example/"],
      webhook: { url: "https://shop.example/webhooks" },
      trusted_authentication: false,
      customers_url: "https://shop.example",
      provider: "shop",
      business: { first_name: "Corner", email: "books@shop.example", phone },
    });
    await changeByOperator(clientId, "webhook", { url: null });
    expect((await show(clientId)).webhook.url).toBeNull();
    expect(JSON.stringify(await changesOf(clientId))).not.toContain(phone);
  });

  test("400: a business needs all four fields, and a phone no other user has", async () => {
    const clientId = newClientId();
    await callOperator("POST", "/clients", { body: { by: "dana", client_id: clientId, name: "Corner Shop" } });
    const taken = await insertTestUser({ clientId });
    const business = { first_name: "Corner", last_name: "Shop", email: "books@shop.example", phone: taken.phone };
    for (const [field, body] of [
      ["phone", business],
      ["email", { ...business, phone: newPhone(), email: undefined }],
    ] as const) {
      const answer = await changeByOperator(clientId, "business", body);
      expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field }]]);
    }
    expect((await show(clientId)).business).toBeNull();
    const funded = await changeByOperator(clientId, "fund", { amount: 1, treasury: "Bank", reference: "1" });
    expect([funded.status, funded.json["errors"]]).toMatchObject([400, [{ field: "account_id" }]]);
  });

  test("200: the list is paginated and ordered by id", async () => {
    const ids = [await createShop(), await createShop(), await createShop()].map(({ clientId }) => clientId).sort();
    const found: string[] = [];
    for (let next: string | null | undefined; next !== null; ) {
      const query = new URLSearchParams({ limit: "2", ...(next && { starting_after: next }) });
      const page = managedClientList.parse((await callOperator("GET", `/clients?${query}`)).json);
      expect(page.clients.length).toBeLessThanOrEqual(2);
      found.push(...page.clients.map(({ client_id }) => client_id));
      next = page.next;
    }
    expect(found.filter((id) => ids.includes(id))).toEqual(ids);
    expect((await callOperator("GET", "/clients?limit=0")).status).toBe(400);
  });

  test("200: is refused everywhere while disabled, and works unchanged once enabled", async () => {
    const client = await createClientWithSeller();
    const { clientId, call, businessToken } = client;
    const basic = async () => (await call("GET", `/v1/user_intent/${newId()}`)).status;
    const bearer = async () => (await call("GET", "/v1/user", { bearer: businessToken })).status;
    const page = async () => {
      const query = authorizationQuery(client, { userIntentId: newId() });
      const answer = await answerAuthorizationRequest(
        new Request(`http://127.0.0.1:4000/login/oauth/authorize?${query}`),
      );
      return answer.status;
    };
    expect([await basic(), await bearer(), await page()]).toEqual([404, 200, 303]);
    expect((await changeByOperator(clientId, "disable")).status).toBe(200);
    expect((await show(clientId)).disabled_at).not.toBeNull();
    expect([await basic(), await bearer(), await page()]).toEqual([401, 401, 400]);
    const repeated = await changeByOperator(clientId, "disable");
    expect([repeated.status, repeated.json["errors"]]).toMatchObject([400, [{ field: "client_id" }]]);
    expect((await changeByOperator(clientId, "enable")).status).toBe(200);
    expect([await basic(), await bearer(), await page()]).toEqual([404, 200, 303]);
  });
});

describe("a funding", () => {
  test("200: is posted against the named treasury account, and the books balance", async () => {
    const { clientId, accountId } = await createShop();
    const fund = (body: Record<string, unknown>) => changeByOperator(clientId, "fund", body);
    expect((await fund({ amount: 250.25, treasury: "First Bank 4411", reference: "wire 1" })).status).toBe(200);
    expect((await fund({ amount: 49.75, treasury: "First Bank 4411", reference: "wire 2" })).status).toBe(200);
    expect(
      (await fund({ amount: 100, treasury: "Second Bank", reference: "wire 3", account_id: accountId })).status,
    ).toBe(200);
    const { business, treasuries } = await show(clientId);
    expect(business?.accounts).toMatchObject([{ id: accountId, current_balance: 400, available_balance: 400 }]);
    expect(treasuries.map(({ name, balance }) => [name, balance])).toEqual([
      ["First Bank 4411", -300],
      ["Second Bank", -100],
    ]);
    expect(await findLedgerProblems()).toEqual([]);
    expect(await reconcile()).toMatchObject({ problemCount: 0 });
  });

  test("200: is posted once per reference; a different payment with that reference is refused", async () => {
    const { clientId } = await createShop();
    const payment = { amount: 12.5, treasury: "Bank", reference: "wire 1" };
    const [first, second] = [
      await changeByOperator(clientId, "fund", payment),
      await changeByOperator(clientId, "fund", payment),
    ];
    expect(second.json).toEqual(first.json);
    for (const change of [{ amount: 12 }, { treasury: "Other bank" }]) {
      const answer = await changeByOperator(clientId, "fund", { ...payment, ...change });
      expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field: "reference" }]]);
    }
    expect((await show(clientId)).treasuries).toMatchObject([{ balance: -12.5 }]);
    expect((await changesOf(clientId)).filter(({ action }) => action === "fund")).toHaveLength(1);
  });

  test("200: is reversed once, however often requested, and its reference stays taken", async () => {
    const { clientId } = await createShop();
    const payment = { amount: 12.5, treasury: "Bank", reference: "wire 1" };
    const funded = await changeByOperator(clientId, "fund", payment);
    const reverse = (reference: string) => changeByOperator(clientId, "reverse", { reference });
    const [first, second] = [await reverse("wire 1"), await reverse("wire 1")];
    expect(first.status).toBe(200);
    expect(second.json).toEqual(first.json);
    const { change_id } = clientChange.parse(funded.json);
    expect(clientChange.parse(first.json).details).toMatchObject({ ...payment, reverses: change_id });
    const { business, treasuries } = await show(clientId);
    expect(business?.accounts).toMatchObject([{ current_balance: 0, available_balance: 0 }]);
    expect(treasuries).toMatchObject([{ balance: 0 }]);
    for (const answer of [await changeByOperator(clientId, "fund", payment), await reverse("wire 2")]) {
      expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field: "reference" }]]);
    }
    expect((await changesOf(clientId)).filter(({ action }) => action === "reverse")).toHaveLength(1);
    expect(await findLedgerProblems()).toEqual([]);
    expect(await reconcile()).toMatchObject({ problemCount: 0 });
  });

  test("a payment named like another one's reversal is refused, and the other can still be reversed", async () => {
    const { clientId } = await createShop();
    const payment = { amount: 12.5, treasury: "Bank", reference: "wire 1" };
    const { change_id } = clientChange.parse((await changeByOperator(clientId, "fund", payment)).json);
    const lookalike = { ...payment, reference: `reversal of ${change_id}` };
    const answer = await changeByOperator(clientId, "fund", lookalike);
    expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field: "reference" }]]);
    const reversed = await changeByOperator(clientId, "reverse", { reference: "wire 1" });
    expect(clientChange.parse(reversed.json).details).toMatchObject({ reverses: change_id });
    expect((await show(clientId)).treasuries).toMatchObject([{ balance: 0 }]);
  });

  test("400: spent, held, or another client's money isn't reversed, and nothing changes", async () => {
    const { clientId, accountId } = await createShop();
    await changeByOperator(clientId, "fund", { amount: 12.5, treasury: "Bank", reference: "wire 1" });
    const reverse = (id: string) => changeByOperator(id, "reverse", { reference: "wire 1" });
    const hold = (cents: number) =>
      servicePool().query("update accounts set held_cents = $2 where id = $1", [accountId, cents]);
    await hold(1);
    const before = await rowsOfClient(clientId);
    for (const id of [clientId, (await createShop()).clientId]) {
      const answer = await reverse(id);
      expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field: "reference" }]]);
    }
    expect(await rowsOfClient(clientId)).toEqual(before);
    await hold(0);
    expect((await reverse(clientId)).status).toBe(200);
  });

  test("400: can't go to another client's, a treasury, or a closed account", async () => {
    const [shop, other] = [await createShop(), await createShop()];
    const fund = (account_id: string, reference: string) =>
      changeByOperator(shop.clientId, "fund", { amount: 1, treasury: "Bank", reference, account_id });
    await fund(shop.accountId, "1");
    const [treasury] = (await show(shop.clientId)).treasuries;
    await servicePool().query("update accounts set status = 'closed' where id = $1", [shop.accountId]);
    for (const [index, id] of [other.accountId, treasury?.id ?? "", shop.accountId].entries()) {
      const answer = await fund(id, `refused ${index}`);
      expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field: "account_id" }]]);
    }
    expect(await findLedgerProblems()).toEqual([]);
  });
});

describe("a photo ID", () => {
  test("200: is shown; the audit record says who viewed whose photo, but never contains the photo", async () => {
    const client = await createTestClient();
    const { userId } = await insertTestUser(client, { status: "document" });
    await insertTestPhotoId(client, userId);
    const viewed = await changeByOperator(client.clientId, "photo", { user_id: userId.toUpperCase() });
    expect([viewed.status, viewed.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const photo = Buffer.from(testPhotoId).toString("base64");
    expect(clientChange.parse(viewed.json).photo).toBe(photo);
    const details = { user_id: userId, media_type: "image/jpeg" };
    const [recorded] = await changesOf(client.clientId);
    expect(recorded).toEqual({ action: "photo", operator: "dana", via: "listener", details });
  });

  test("400: another client's, a never uploaded, or a deleted photo isn't shown, and nothing is recorded", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const [sent, unsent, deleted] = [
      await insertTestUser(client),
      await insertTestUser(client),
      await insertTestUser(client),
    ];
    await insertTestPhotoId(client, sent.userId);
    const id = await insertTestPhotoId(client, deleted.userId);
    await servicePool().query("update identity_submissions set content_encrypted = null where id = $1", [id]);
    const refusals: [TestClient, string, string][] = [
      [otherClient, sent.userId, "This client has no such person."],
      [client, unsent.userId, "This person has sent no photo ID."],
      [client, deleted.userId, "This person's photo ID was deleted at the end of its retention period."],
    ];
    for (const [{ clientId }, user_id, message] of refusals) {
      const answer = await changeByOperator(clientId, "photo", { user_id });
      expect([answer.status, answer.json["errors"]]).toEqual([400, [{ field: "user_id", message }]]);
      expect(await changesOf(clientId)).toEqual([]);
    }
  });

  test("400: a photo uploaded during the request isn't reported as deleted; the next request shows it", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const { userId: user_id } = await insertTestUser(client, { status: "document" });
    const held = await holdRows("select from clients where id = $1 for no key update", [clientId]);
    const photoRequest = changeByOperator(clientId, "photo", { user_id });
    await held.waiters(1);
    await insertTestPhotoId(client, user_id);
    await held.release();
    const { status, json } = await photoRequest;
    expect([status, json["errors"]]).toMatchObject([400, [{ message: "This person has sent no photo ID." }]]);
    expect((await changeByOperator(clientId, "photo", { user_id })).status).toBe(200);
  });
});

describe("a manual decision", () => {
  test("200: decides about a person left undecided by screening, announces it, and counts once", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const open = await insertTestIntent(client, { status: "pending" });
    const { json } = await client.call("POST", "/v1/user_intent", { body: personDetails({ phone: newPhone() }) });
    expect((await show(clientId)).undecided).toMatchObject([
      { user_intent_id: open.userIntentId, user_id: null, in_screening: false },
      { user_intent_id: json["id"], in_screening: true },
    ]);
    const decide = (status: string, more = {}) =>
      changeByOperator(clientId, "decide", { user_intent_id: open.userIntentId, status, ...more });
    const reasons = [{ code: "identity_not_verified", message: "We could not verify you." }];
    expect((await decide("rejected", { rejection_reasons: reasons })).status).toBe(200);
    const { json: decided } = await client.call("GET", `/v1/user_intent/${open.userIntentId}`);
    expect(decided).toMatchObject({ status: "rejected", rejection_reasons: reasons });
    const repeated = await decide("approved");
    expect([repeated.status, repeated.json["errors"]]).toMatchObject([400, [{ field: "status" }]]);
    const { rows } = await servicePool().query("select webhook_type from deliveries where client_id = $1", [clientId]);
    expect(rows).toEqual([{ webhook_type: "user_intent_updated" }]);
    expect((await show(clientId)).undecided).toMatchObject([{ user_intent_id: json["id"] }]);
  });

  test("200: a user awaiting a decision is listed once, after people no screening will decide", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const oldest = await insertTestIntent(client, { status: "pending" });
    const details = personDetails({ phone: newPhone() });
    const [screened, joined] = [await createIntent(client, details), await createIntent(client, details)];
    for (const { id: userIntentId } of [screened, joined])
      await openTestVisit(client, { userIntentId, phone: details.phone, email: details.email });
    const [first, second] = (await show(clientId)).undecided;
    expect(first).toMatchObject({ user_intent_id: oldest.userIntentId, user_id: null, in_screening: false });
    expect(second).toMatchObject({ user_intent_id: joined.id, user_id: expect.any(String), in_screening: true });
    expect((await show(clientId)).undecided).toHaveLength(2);
  });

  test("200: those who have waited longest are listed, and a decision makes room for the next", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const ids: unknown[] = [];
    for (let count = 0; count <= limits.pageSizeMax; count++) {
      ids.push((await insertTestIntent(client, { status: "pending" })).userIntentId);
    }
    const listed = async () => (await show(clientId)).undecided.map(({ user_intent_id }) => user_intent_id);
    expect(await listed()).toEqual(ids.slice(0, -1));
    await changeByOperator(clientId, "decide", { user_intent_id: ids[0], status: "approved" });
    expect(await listed()).toEqual(ids.slice(1));
  });

  test("200: a person in status document is listed from the photo upload until decided", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const person = await insertTestIntent(client, { status: "document" });
    await openTestVisit(client, person);
    expect((await show(clientId)).undecided).toEqual([]);
    const text = "select user_id from user_intents where id = $1";
    const { rows } = await servicePool().query<{ user_id: string }>(text, [person.userIntentId]);
    const user_id = rows[0]?.user_id ?? "";
    await insertTestPhotoId(client, user_id);
    expect((await show(clientId)).undecided).toMatchObject([{ user_id, in_screening: false }]);
    expect((await changeByOperator(clientId, "decide", { user_id, status: "approved" })).status).toBe(200);
    expect((await show(clientId)).undecided).toEqual([]);
  });

  test("200: suspends a user and ends the suspension; 400: another client's user", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const { userId } = await insertTestUser(client);
    const decide = (clientId: string, status: string) =>
      changeByOperator(clientId, "decide", { user_id: userId, status });
    expect((await decide(otherClient.clientId, "suspended")).status).toBe(400);
    expect((await decide(client.clientId, "suspended")).status).toBe(200);
    expect((await decide(client.clientId, "approved")).status).toBe(200);
    expect((await changesOf(client.clientId)).map(({ details }) => details["status"])).toEqual([
      "suspended",
      "approved",
    ]);
  });
});

describe("resent webhooks", () => {
  let fake: FakeServer;
  let sender: WakeLoop;
  beforeAll(async () => {
    fake = await startFakeServer();
    sender = startWebhookSender();
  });
  afterAll(async () => {
    await sender.stop();
    await fake.stop();
  });

  async function announce({ clientId }: TestClient, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId());
    const traceId = "ab".repeat(16);
    await inTransaction((tx) =>
      insertDeliveries(
        tx,
        ids.map((id) => ({ clientId, webhookType: "user_updated" as const, userId: id, resourceId: id, traceId })),
      ),
    );
    return ids;
  }

  test("200: arrive with the same id and body, for one webhook or all since a time", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const about = () => fake.requests.filter(({ path }) => path === `/${clientId}`);
    await changeByOperator(clientId, "webhook", { url: `${fake.url}/${clientId}` });
    await announce(client, 1);
    await settled(client, "delivered");
    const since = new Date(Date.now() + 1).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await announce(client, 2);
    await settled(client, "delivered");
    const [first] = about();
    const redeliver = (body: Record<string, unknown>) => changeByOperator(clientId, "redeliver", body);

    const one = await redeliver({ webhook_id: first?.headers["webhook-id"] });
    expect(one.json["details"]).toMatchObject({ webhooks: 1 });
    await expect.poll(() => about().length).toBe(4);
    expect([about()[3]?.headers["webhook-id"], about()[3]?.body]).toEqual([first?.headers["webhook-id"], first?.body]);

    const all = await redeliver({ since });
    expect(all.json["details"]).toMatchObject({ since, webhooks: 2 });
    await expect.poll(() => about().length).toBe(6);
    const none = await redeliver({ since: "2026-01-31T09:30:00Z", until: "2026-01-31T09:30:00.500Z" });
    expect(none.json["details"]).toMatchObject({ webhooks: 0 });
    const counts = Map.groupBy(about(), ({ headers }) => headers["webhook-id"]);
    expect([...counts.values()].map((same) => same.length)).toEqual([2, 2, 2]);
    await settled(client, "delivered");
  });

  test("400: can't be another client's, exceed one transaction's limit, or lack an endpoint", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const since = new Date(Date.now() - 1000).toISOString();
    await announce(otherClient, 1);
    const { rows } = await servicePool().query("select id from deliveries where client_id = $1", [
      otherClient.clientId,
    ]);
    const refused = async (body: Record<string, unknown>) => {
      const answer = await changeByOperator(client.clientId, "redeliver", body);
      return [answer.status, errorBody.parse(answer.json).errors?.[0]?.field];
    };
    expect(await refused({ since })).toEqual([400, "client_id"]);
    await changeByOperator(client.clientId, "webhook", { url: "http://127.0.0.1:9/nowhere" });
    expect(await refused({ webhook_id: rows[0]?.id })).toEqual([400, "webhook_id"]);
    for (let batch = 0; batch < 3; batch++) await announce(client, 3500);
    const before = await rowsOfClient(client.clientId);
    expect(await refused({ since })).toEqual([400, "since"]);
    expect(((await rowsOfClient(client.clientId)) as { changes: unknown[] }).changes).toEqual(
      (before as { changes: unknown[] }).changes,
    );
  });
});

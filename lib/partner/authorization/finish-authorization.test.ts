import { createHash, randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { CookieStore } from "iron-session";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../contract/limits.ts";
import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { readOnboardingState } from "../onboarding/onboarding-status.ts";
import { partner } from "../process-partner.ts";
import { completeOnboarding } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUser, findServiceUserOfPerson } from "../storage/service-users.ts";
import { newCookieStore } from "../testing/browser.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { createPerson } from "../testing/people.ts";
import { accountRecordOf, userIntentRecordOf, userRecordOf } from "../testing/records.ts";
import { finishAuthorization, rememberAuthorization, takeAuthorization } from "./finish-authorization.ts";
import {
  type AuthorizationRequest,
  authorizeBusinessFields,
  openAuthorization,
  submitBusinessAuthorization,
  submitSellerAuthorization,
} from "./start-authorization.ts";

let service: FakeService;
let person: Person;
let browser: CookieStore;
let user: ReturnType<typeof userRecordOf>;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  service.requests.length = 0;
  person = await createPerson();
  browser = newCookieStore();
  user = userRecordOf({ phone: person.phone });
  const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
  service.answer("POST /v1/partner/identity/verification", () => ({ status: 200, body: { token: "session" } }));
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pair }));
  service.answer("GET /v1/user", () => ({ status: 200, body: user }));
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 1, accounts: [accountRecordOf()] } }));
  service.answer("GET /.well-known/oauth-authorization-server", () => ({ status: 404 }));
});

/** Starts an authorization and handles the callback the service would send. */
async function authorizeAndReturn(
  changes: Record<string, string | undefined> = {},
  request: Partial<AuthorizationRequest> = {},
) {
  const opened = await openAuthorization(partner(), {
    personId: person.id,
    purpose: "seller",
    subject: { user_intent_id: newId() },
    returnTo: "/dashboard",
    ...request,
  });
  if (opened.kind !== "ok") throw new Error("The fake service mints.");
  await rememberAuthorization(partner(), browser, opened.pending);
  const query = { code: "code", state: opened.pending.state, iss: service.url, ...changes };
  const present = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return { opened, query: new URLSearchParams(present as [string, string][]) };
}

function problem(name: string) {
  return { kind: "problem", problem: name };
}

test("sends the published parameters, state and an S256 challenge, and its verifier to the token endpoint only", async () => {
  const { opened, query } = await authorizeAndReturn();
  const sent = new URL(opened.address).searchParams;
  const { state, codeVerifier } = opened.pending;
  expect(Object.fromEntries(sent)).toMatchObject({
    session_token: "session",
    user_intent_id: expect.any(String),
    client_id: partner().config.clientId,
    redirect_uri: "http://localhost:3000/callback",
    response_type: "code",
    state,
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  expect(opened.address).not.toContain(codeVerifier);
  expect(await finishAuthorization(partner(), query, browser, person)).toEqual({ kind: "ok", returnTo: "/dashboard" });
  expect(service.requestsOf("POST /v1/oauth/token")[0]?.body).toEqual({
    grant_type: "authorization_code",
    code: "code",
    redirect_uri: "http://localhost:3000/callback",
    code_verifier: codeVerifier,
  });
});

test("stores the pair, user and account of the person who authorized", async () => {
  const { query } = await authorizeAndReturn();
  await finishAuthorization(partner(), query, browser, person);
  expect((await partner().tokenStore.read(user.id))?.accessTokenSeconds).toBeGreaterThan(7000);
  expect(await findServiceUser(partner().db, user.id)).toMatchObject({
    personId: person.id,
    status: "approved",
    accountId: expect.any(String),
  });
});

test("replaces an expired pair with the new one", async () => {
  await finishAuthorization(partner(), (await authorizeAndReturn()).query, browser, person);
  await partner().db.execute(sql`update token_pairs set access_token_expires_at = now() - interval '1 second'`);
  expect((await partner().tokenStore.read(user.id))?.accessTokenSeconds).toBeLessThan(0);
  const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pair }));
  await finishAuthorization(partner(), (await authorizeAndReturn()).query, browser, person);
  expect(await partner().tokenStore.read(user.id)).toMatchObject({
    accessToken: pair.access_token,
    refreshToken: pair.refresh_token,
  });
  const grants = service.requestsOf("POST /v1/oauth/token").map(({ body }) => body["grant_type"]);
  expect(grants).toEqual(["authorization_code", "authorization_code"]);
});

test("connects the business for any operator", async () => {
  const id = partner().config.businessUserId;
  const operator = await createPerson({ role: "operator" });
  user = userRecordOf({ id, phone: "+12025550100", user_type: "business" });
  const { query } = await authorizeAndReturn(
    {},
    { personId: operator.id, purpose: "business", subject: { user_id: id } },
  );
  expect(await finishAuthorization(partner(), query, browser, operator)).toMatchObject({ kind: "ok" });
  expect(await findServiceUser(partner().db, id)).toMatchObject({ personId: null });
});

describe("spends no code", () => {
  async function expectRefusal(
    name: string,
    query: URLSearchParams,
    cookies = browser,
    who: Person | undefined = person,
  ) {
    expect(await finishAuthorization(partner(), query, cookies, who)).toEqual(problem(name));
    expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(0);
  }

  test("for a state that is wrong or missing", async () => {
    await expectRefusal("unknown_attempt", (await authorizeAndReturn({ state: "a".repeat(43) })).query);
    await expectRefusal("missing_state", (await authorizeAndReturn({ state: undefined })).query);
  });

  test("for a state that only begins like the right one", async () => {
    const { query } = await authorizeAndReturn();
    query.set("state", `${query.get("state")?.slice(0, 8)}${"a".repeat(35)}`);
    await expectRefusal("unknown_attempt", query);
  });

  test("in another browser", async () => {
    await expectRefusal("unknown_attempt", (await authorizeAndReturn()).query, newCookieStore());
  });

  test("with another person signed in, or no one", async () => {
    await expectRefusal("other_person", (await authorizeAndReturn()).query, browser, await createPerson());
    const { query } = await authorizeAndReturn();
    expect(await finishAuthorization(partner(), query, browser, undefined)).toEqual(problem("signed_out"));
    expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(0);
  });

  test("for a wrong iss", async () => {
    await expectRefusal("wrong_issuer", (await authorizeAndReturn({ iss: "https://evil.example" })).query);
  });

  test("for a missing iss if the service announces one", async () => {
    const body = { issuer: service.url, authorization_response_iss_parameter_supported: true };
    service.answer("GET /.well-known/oauth-authorization-server", () => ({ status: 200, body }));
    await expectRefusal("wrong_issuer", (await authorizeAndReturn({ iss: undefined })).query);
  });

  test("when the person pressed Cancel", async () => {
    await expectRefusal("denied", (await authorizeAndReturn({ code: undefined, error: "access_denied" })).query);
  });
});

test("expects no iss from a service without a metadata document", async () => {
  const { query } = await authorizeAndReturn({ iss: undefined });
  expect(await finishAuthorization(partner(), query, browser, person)).toMatchObject({ kind: "ok" });
});

test("remembers an authorization until the service's code must have expired", async () => {
  const ages: (number | undefined)[] = [];
  browser = { ...browser, set: (_name, _value, cookie) => ages.push(cookie.maxAge) };
  await authorizeAndReturn();
  const { identityVerificationTokenSeconds, visitSeconds, authorizationCodeSeconds } = limits;
  expect(ages).toEqual([identityVerificationTokenSeconds + visitSeconds + authorizationCodeSeconds]);
});

test("accepts each response once", async () => {
  const { query } = await authorizeAndReturn();
  await finishAuthorization(partner(), query, browser, person);
  expect(await finishAuthorization(partner(), query, browser, person)).toEqual(problem("unknown_attempt"));
});

test.each([
  ["a page", "/dashboard", -4],
  ["a payment form", `/routines/new?name=${encodeURIComponent("🦞".repeat(100))}`, -2],
])("keeps the newest attempts only, so that the cookies fit into a request: from %s", async (_from, returnTo, kept) => {
  const attempts: URLSearchParams[] = [];
  for (let count = 0; count < 30; count++) attempts.push((await authorizeAndReturn({}, { returnTo })).query);
  const bytes = (browser.getAll?.() ?? []).reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  expect(bytes).toBeLessThan(10 * 1024);
  const finish = (query = new URLSearchParams()) => finishAuthorization(partner(), query, browser, person);
  expect(await finish(attempts.at(0))).toEqual(problem("unknown_attempt"));
  expect(await finish(attempts.at(kept))).toMatchObject({ kind: "ok" });
  expect(await finish(attempts.at(-1))).toMatchObject({ kind: "ok" });
});

test("returns to the page without its query if a cookie couldn't hold the address", async () => {
  const address = "/routines/new?name=";
  const from = { clientAddress: "::1", cookies: browser };
  for (const [return_to, returnTo] of [
    [`${address}Lamps`, `${address}Lamps`],
    [address + "x".repeat(9000), "/routines/new"],
  ] as const) {
    const fields = authorizeBusinessFields.parse({ return_to });
    const started = await submitBusinessAuthorization(partner(), fields, person, from);
    const state = new URL("redirectTo" in started ? started.redirectTo : "").searchParams.get("state") ?? "";
    expect(await takeAuthorization(partner(), browser, state)).toMatchObject({ returnTo });
  }
});

test("keeps two tabs apart", async () => {
  const [first, second] = [await authorizeAndReturn(), await authorizeAndReturn()];
  expect(await finishAuthorization(partner(), first.query, browser, person)).toMatchObject({ kind: "ok" });
  expect(await finishAuthorization(partner(), second.query, browser, person)).toMatchObject({ kind: "ok" });
});

test.each([
  ["refuses it", { status: 401 }],
  ["redirects elsewhere", { status: 302, headers: { location: "/sign-in" } }],
  ["answers unknown paths with 501", { status: 501 }],
])("does not miss the iss of a service that has no document and %s", async (_what, answer) => {
  service.answer("GET /.well-known/oauth-authorization-server", () => answer);
  const { query } = await authorizeAndReturn({ iss: undefined });
  expect(await finishAuthorization(partner(), query, browser, person)).toMatchObject({ kind: "ok" });
});

test("accepts no missing iss while the document can't be read", async () => {
  service.answer("GET /.well-known/oauth-authorization-server", () => ({ status: 503 }));
  const { query } = await authorizeAndReturn({ iss: undefined });
  expect(await finishAuthorization(partner(), query, browser, person)).toEqual(problem("not_now"));
});

test("rereads the record shortly after if the new token isn't accepted yet", async () => {
  const answers = [{ status: 401 }, { status: 404 }];
  service.answer("GET /v1/user", () => answers.shift() ?? { status: 200, body: user });
  const { query } = await authorizeAndReturn();
  expect(await finishAuthorization(partner(), query, browser, person)).toMatchObject({ kind: "ok" });
  expect(service.requestsOf("GET /v1/user")).toHaveLength(3);
  expect((await partner().tokenStore.read(user.id))?.accessTokenSeconds).toBeGreaterThan(7000);
});

test("reads the tokens' user four times before it gives up, including unanswered calls", async () => {
  const reads = () => service.requestsOf("GET /v1/user").length;
  service.answer("GET /v1/user", () => (reads() < 4 ? "cut" : { status: 200, body: user }));
  expect(await finishAuthorization(partner(), (await authorizeAndReturn()).query, browser, person)).toMatchObject({
    kind: "ok",
  });
  service.requests.length = 0;
  service.answer("GET /v1/user", () => ({ status: 404 }));
  expect(await finishAuthorization(partner(), (await authorizeAndReturn()).query, browser, person)).toEqual(
    problem("failed"),
  );
  expect(reads()).toBe(4);
});

test("reads the new user's accounts a second time if the first fails", async () => {
  const [wallet, failures] = [accountRecordOf(), [{ status: 503 }]];
  service.answer("GET /v1/accounts", () => failures.shift() ?? { status: 200, body: { accounts: [wallet] } });
  await finishAuthorization(partner(), (await authorizeAndReturn()).query, browser, person);
  expect(await findServiceUser(partner().db, user.id)).toMatchObject({ accountId: wallet.id });
});

test.each([
  [{ error: "access_denied" }, "denied"],
  [{ error: "temporarily_unavailable" }, "not_now"],
  [{ error: "server_error" }, "not_now"],
  [{ error: "invalid_scope" }, "failed"],
  [{ error: "" }, "failed"],
  [{}, "failed"],
])("a callback without a code and with %j is reported as %s", async (changes, name) => {
  const { query } = await authorizeAndReturn({ code: undefined, ...changes });
  expect(await finishAuthorization(partner(), query, browser, person)).toEqual(problem(name));
  expect(service.requestsOf("POST /v1/oauth/token")).toEqual([]);
});

describe("stores nothing about an unexpected user", () => {
  test("with a different phone than the person's, after an intent", async () => {
    user = userRecordOf({ phone: "+14155550000" });
    const { query } = await authorizeAndReturn();
    expect(await finishAuthorization(partner(), query, browser, person)).toEqual(problem("other_user"));
    expect(await partner().tokenStore.read(user.id)).toBeUndefined();
  });

  test("with a different id than the requested one", async () => {
    const { query } = await authorizeAndReturn({}, { subject: { user_id: newId() } });
    expect(await finishAuthorization(partner(), query, browser, person)).toEqual(problem("other_user"));
    expect(await partner().tokenStore.read(user.id)).toBeUndefined();
  });

  test.each([
    ["the business user", () => ({ id: partner().config.businessUserId })],
    ["a user who is a business", () => ({ user_type: "business" })],
    ["a business user in uppercase", () => ({ user_type: "BUSINESS" })],
  ])("%s, for a seller, although phone and id match", async (_what, fields) => {
    user = userRecordOf({ phone: person.phone, ...fields() });
    // The business has no row yet.
    await partner().db.execute(sql`delete from service_users where id = ${user.id}`);
    const before = await partner().tokenStore.read(user.id);
    for (const subject of [{ user_intent_id: newId() }, { user_id: user.id }]) {
      const { query } = await authorizeAndReturn({}, { subject });
      expect(await finishAuthorization(partner(), query, browser, person)).toEqual(problem("other_user"));
    }
    expect((await partner().tokenStore.read(user.id))?.refreshToken).toBe(before?.refreshToken);
  });

  test("who isn't the business user, for the business", async () => {
    user = userRecordOf({ phone: person.phone, user_type: "business" });
    for (const subject of [{ user_intent_id: newId() }, { user_id: user.id }]) {
      const { query } = await authorizeAndReturn({}, { purpose: "business", subject });
      expect(await finishAuthorization(partner(), query, browser, person)).toEqual(problem("other_user"));
    }
    expect(await partner().tokenStore.read(user.id)).toBeUndefined();
  });

  test("who belongs to another Harbor account", async () => {
    await finishAuthorization(partner(), (await authorizeAndReturn()).query, browser, person);
    const before = await partner().tokenStore.read(user.id);
    const otherPerson = await createPerson();
    user = { ...user, phone: otherPerson.phone };
    const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
    service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pair }));
    const { query } = await authorizeAndReturn({}, { personId: otherPerson.id });
    expect(await finishAuthorization(partner(), query, browser, otherPerson)).toEqual(problem("other_user"));
    expect((await partner().tokenStore.read(user.id))?.accessToken).toBe(before?.accessToken);
  });
});

test.each([
  ["expired_code", { status: 400, body: { error: "invalid_grant" } }],
  ["not_now", { status: 503, body: { error: "temporarily_unavailable" } }],
  ["not_now", { status: 429 }],
  ["not_now", { status: 401, body: { error: "invalid_client" } }],
  ["failed", { status: 400, body: { error: "invalid_request" } }],
  ["not_understood", { status: 200, body: { token: "t" } }],
  ["unavailable", "cut" as const],
])("reports %s depending on the exchange's response", async (name, answer) => {
  service.answer("POST /v1/oauth/token", () => answer);
  const { query } = await authorizeAndReturn();
  expect(await finishAuthorization(partner(), query, browser, person)).toEqual(problem(name));
});

test("opens no page when the service refuses a session token", async () => {
  service.answer("POST /v1/partner/identity/verification", () => refused(403, "customer_mismatch"));
  const request = { personId: person.id, purpose: "seller", subject: { user_id: newId() }, returnTo: "/" } as const;
  expect(await openAuthorization(partner(), request)).toMatchObject({ kind: "refused", reason: "customer_mismatch" });
});

const metadata = "GET /.well-known/oauth-authorization-server";

describe("a person whose intent the service doesn't find", () => {
  const userIntentId = newId();

  beforeEach(async () => {
    const submission = { personId: person.id, idempotencyKey: randomUUID(), traceId: newTraceId() };
    await partner().db.execute(sql`delete from onboardings where user_intent_id = ${userIntentId}`);
    await completeOnboarding(partner().db, submission, { userIntentId, status: "approved" });
    service.answer("POST /v1/partner/identity/verification", () => refused(404, "not_found"));
    service.answer(metadata, () => ({ status: 200, body: { issuer: service.url } }));
  });

  const start = () => submitSellerAuthorization(partner(), {}, person, { clientAddress: "::1", cookies: browser });

  test("can submit again once the record is missing too", async () => {
    service.answer(`GET /v1/user_intent/${userIntentId}`, () => refused(404, "not_found"));
    expect(await start()).toEqual({ redirectTo: "/onboarding?lost=1" });
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "not_started" });
  });

  test("keeps the intent while the record exists or can't be read", async () => {
    const record = userIntentRecordOf(userIntentId, person.id);
    for (const answer of [{ status: 200, body: record }, refused(503, "unavailable"), "cut" as const]) {
      service.answer(`GET /v1/user_intent/${userIntentId}`, () => answer);
      expect(await start()).toMatchObject({ problems: [{ field: "form" }] });
      expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
    }
  });

  test("keeps the intent if the address is wrong: everything there gets the same answer, or any path a page", async () => {
    service.answer(`GET /v1/user_intent/${userIntentId}`, () => refused(404, "not_found"));
    for (const answer of [refused(404, "not_found"), { status: 200, text: "<title>Welcome</title>" }]) {
      service.answer(metadata, () => answer);
      expect(await start()).toMatchObject({ problems: [{ field: "form" }] });
      expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
    }
  });
});

describe("a person whose user the service doesn't find", () => {
  const start = () => submitSellerAuthorization(partner(), {}, person, { clientAddress: "::1", cookies: browser });
  const ofPerson = async () => (await findServiceUserOfPerson(partner().db, person.id))?.id;
  let userIntentId: string;

  beforeEach(async () => {
    userIntentId = newId();
    const submission = { personId: person.id, idempotencyKey: randomUUID(), traceId: newTraceId() };
    await completeOnboarding(partner().db, submission, { userIntentId, status: "approved" });
    await finishAuthorization(partner(), (await authorizeAndReturn()).query, browser, person);
    service.answer("POST /v1/partner/identity/verification", ({ body }) =>
      "user_id" in (body as object) ? refused(404, "not_found") : { status: 200, body: { token: "session" } },
    );
    service.answer("POST /v1/oauth/token", () => ({ status: 400, body: { error: "invalid_grant" } }));
    service.answer("GET /v1/user", () => refused(401, "invalid_token"));
    service.answer(metadata, () => ({ status: 200, body: { issuer: service.url } }));
  });

  async function authorizeByIntent(returned: typeof user) {
    const started = await start();
    const { searchParams } = new URL("redirectTo" in started ? started.redirectTo : "");
    expect(searchParams.get("user_intent_id")).toBe(userIntentId);
    const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
    service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pair }));
    service.answer("GET /v1/user", () => ({ status: 200, body: returned }));
    const query = new URLSearchParams({ code: "code", state: searchParams.get("state") ?? "", iss: service.url });
    return finishAuthorization(partner(), query, browser, person);
  }

  test("authorizes by their intent, and the new user replaces the lost one, whose name stays", async () => {
    const returned = userRecordOf({ phone: person.phone });
    expect(await authorizeByIntent(returned)).toEqual({ kind: "ok", returnTo: "/dashboard" });
    expect(await ofPerson()).toBe(returned.id);
    expect(await findServiceUser(partner().db, user.id)).toMatchObject({ personId: null, firstName: user.first_name });
  });

  test("gets the same user if it comes back", async () => {
    expect(await authorizeByIntent(user)).toEqual({ kind: "ok", returnTo: "/dashboard" });
    expect(await ofPerson()).toBe(user.id);
  });

  test("submits again if the intent is lost too", async () => {
    service.answer("POST /v1/partner/identity/verification", () => refused(404, "not_found"));
    service.answer(`GET /v1/user_intent/${userIntentId}`, () => refused(404, "not_found"));
    expect(await start()).toEqual({ redirectTo: "/onboarding?lost=1" });
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "not_started" });
  });

  test("submits again if Harbor doesn't know the intent", async () => {
    await partner().db.execute(sql`delete from onboardings where user_intent_id = ${userIntentId}`);
    expect(await start()).toEqual({ redirectTo: "/onboarding?lost=1" });
  });

  test("keeps the user while its tokens work, or that can't be known", async () => {
    for (const answer of [{ status: 200, body: user }, refused(503, "unavailable"), "cut" as const]) {
      service.answer("GET /v1/user", () => answer);
      expect(await start()).toMatchObject({ problems: [{ field: "form" }] });
      expect(await ofPerson()).toBe(user.id);
    }
  });

  test("keeps the user if the address is wrong, even without tokens", async () => {
    await partner().db.execute(sql`delete from token_pairs where service_user_id = ${user.id}`);
    service.answer("POST /v1/partner/identity/verification", () => refused(404, "not_found"));
    service.answer(metadata, () => refused(404, "not_found"));
    expect(await start()).toMatchObject({ problems: [{ field: "form" }] });
    expect(await ofPerson()).toBe(user.id);
  });
});

import { NextRequest } from "next/server";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { newId } from "#lib/kit/ids.ts";
import { nextLink } from "#lib/partner/authorization/finish-authorization.ts";
import { readConnection } from "#lib/partner/connections/connected-users.ts";
import { openSession } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { completeOnboarding } from "#lib/partner/storage/onboardings.ts";
import type { Person } from "#lib/partner/storage/people.ts";
import { findServiceUserOfPerson } from "#lib/partner/storage/service-users.ts";
import { Browser } from "#lib/partner/testing/browser.ts";
import { connectSeller } from "#lib/partner/testing/connected-users.ts";
import { refused, startFakeService } from "#lib/partner/testing/fake-service.ts";
import { createPerson } from "#lib/partner/testing/people.ts";
import { accountRecordOf, userRecordOf } from "#lib/partner/testing/records.ts";
import { authorizeBusiness } from "../business/actions.ts";
import { authorize } from "../onboarding/status/actions.ts";
import { GET } from "./route.ts";

vi.mock("next/headers", async () => (await import("#lib/partner/testing/browser.ts")).nextHeaders);
vi.mock("next/cache", async () => (await import("#lib/partner/testing/browser.ts")).nextCache);

const service = await startFakeService();
afterAll(service.stop);

let person: Person;
beforeEach(async () => {
  service.clear();
  person = await createPerson();
  const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
  service.answer("POST /v1/partner/identity/verification", () => ({ status: 200, body: { token: "session" } }));
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pair }));
  service.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ phone: person.phone }) }));
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [accountRecordOf()] } }));
});

async function signedInBrowser(signedIn: Person): Promise<Browser> {
  const browser = new Browser();
  await browser.within(() => openSession(partner(), signedIn));
  return browser;
}

/** Starts an authorization, and returns the query of its callback. */
async function startAuthorization(
  browser: Browser,
  action: typeof authorize = authorize,
  fields = {},
): Promise<URLSearchParams> {
  const result = await browser.submit(action, fields);
  if (result === "not_found" || !("redirectTo" in result)) throw new Error(JSON.stringify(result));
  const state = new URL(result.redirectTo).searchParams.get("state") ?? "";
  return new URLSearchParams({ code: "code", state, iss: service.url });
}

async function followCallback(browser: Browser, query: URLSearchParams) {
  const request = new NextRequest(`${partner().config.baseUrl}/callback?${query}`);
  const response = await browser.within(() => GET(request));
  const location = response.headers.get("location") ?? "";
  expect([response.status, response.headers.get("cache-control"), response.headers.get("referrer-policy")]).toEqual([
    303,
    "no-store",
    "no-referrer",
  ]);
  expect(location.startsWith(`${partner().config.baseUrl}/`)).toBe(true);
  return location.slice(partner().config.baseUrl.length);
}

function completeOnboardingOf({ id: personId }: Person): Promise<void> {
  const submission = { personId, idempotencyKey: crypto.randomUUID(), traceId: "a".repeat(32) };
  return completeOnboarding(partner().db, submission, { userIntentId: newId(), status: "approved" });
}

test("a seller returns to the dashboard, connected, and can't use the callback twice", async () => {
  const browser = await signedInBrowser(person);
  expect(await browser.submit(authorize)).toEqual({ redirectTo: "/onboarding" });
  await completeOnboardingOf(person);
  const query = await startAuthorization(browser);
  const { length } = [...browser.jar];
  expect(await followCallback(browser, query)).toBe("/dashboard");
  expect([...browser.jar]).toHaveLength(length - 1);
  const user = await findServiceUserOfPerson(partner().db, person.id);
  expect(await readConnection(partner(), user?.id ?? "")).toMatchObject({ kind: "connected" });
  expect(await followCallback(browser, query)).toBe("/callback/problem?reason=unknown_attempt");
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(1);
});

test("an authorization names the intent until the service's user is known, then the user", async () => {
  await completeOnboardingOf(person);
  const browser = await signedInBrowser(person);
  const subjectOf = async () => {
    const result = await browser.submit(authorize);
    const { searchParams } = new URL(result !== "not_found" && "redirectTo" in result ? result.redirectTo : "");
    return [searchParams.get("user_intent_id"), searchParams.get("user_id")];
  };
  const { rows } = await partner().pool.query("select user_intent_id as id from onboardings where person_id = $1", [
    person.id,
  ]);
  expect(await subjectOf()).toEqual([rows[0].id, null]);
  await followCallback(browser, await startAuthorization(browser));
  const user = await findServiceUserOfPerson(partner().db, person.id);
  expect(await subjectOf()).toEqual([null, user?.id]);
});

test("after a problem, the next link depends on the person's progress", async () => {
  const hrefFor = async (signedIn?: Person) => (await nextLink(partner(), signedIn)).href;
  expect(await hrefFor()).toBe("/sign-in");
  expect(await hrefFor(await createPerson({ role: "operator" }))).toBe("/business");
  expect(await hrefFor(person)).toBe("/onboarding/status");
  expect(await hrefFor((await connectSeller({ status: "approved" })).person)).toBe("/dashboard");
});

test("a browser that signs in as someone else or signs out before the callback isn't connected", async () => {
  await completeOnboardingOf(person);
  const browser = await signedInBrowser(person);
  const [first, second] = [await startAuthorization(browser), await startAuthorization(browser)];
  await browser.within(async () => openSession(partner(), await createPerson()));
  expect(await followCallback(browser, first)).toBe("/callback/problem?reason=other_person");
  browser.jar.delete("harbor-session");
  expect(await followCallback(browser, second)).toBe("/callback/problem?reason=signed_out");
  expect(service.requestsOf("POST /v1/oauth/token")).toEqual([]);
  expect(await findServiceUserOfPerson(partner().db, person.id)).toBeUndefined();
});

test("an operator returns to the page that started the connection, but never to another site", async () => {
  const operator = await createPerson({ role: "operator" });
  const business = userRecordOf({ id: partner().config.businessUserId, user_type: "business" });
  service.answer("GET /v1/user", () => ({ status: 200, body: business }));
  const browser = await signedInBrowser(operator);
  for (const [return_to, page] of [
    ["/routines/new?seller=u+1", "/routines/new?seller=u+1"],
    ["//evil.example", "/business"],
    ["", "/business"],
  ]) {
    expect(await followCallback(browser, await startAuthorization(browser, authorizeBusiness, { return_to }))).toBe(
      page,
    );
  }
});

test("a failed start shows the reason, and leaves no attempt cookie", async () => {
  await completeOnboardingOf(person);
  const browser = await signedInBrowser(person);
  service.answer("POST /v1/partner/identity/verification", () => refused(409, "customer_mismatch"));
  expect(await browser.submit(authorize)).toMatchObject({ problems: [{ field: "form" }] });
  expect([...browser.jar.keys()]).toEqual(["harbor-session"]);
});

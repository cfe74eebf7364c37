import type { CookieStore } from "iron-session";
import { afterAll, beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import type { Person } from "../storage/people.ts";
import { startFakeService } from "../testing/fake-service.ts";
import { partnerWith } from "../testing/partner-with.ts";
import { createPerson } from "../testing/people.ts";
import { accountRecordOf, userRecordOf } from "../testing/records.ts";
import { finishAuthorization, rememberAuthorization } from "./finish-authorization.ts";
import { openAuthorization } from "./start-authorization.ts";

// For a service without state and PKCE, a callback matches only this browser's last attempt, once, within ten minutes, and only for
// the same person.

const fake = await startFakeService();
afterAll(fake.stop);

let person: Person;
let ages: (number | undefined)[];
let browser: CookieStore;

beforeEach(async () => {
  fake.clear();
  person = await createPerson();
  ages = [];
  browser = newBrowser();
  fake.answer("POST /v1/partner/identity/verification", () => ({ status: 200, body: { token: "session" } }));
  fake.answer("POST /v1/oauth/token", () => ({
    status: 200,
    body: { access_token: newId(), refresh_token: newId() },
  }));
  fake.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ phone: person.phone }) }));
  fake.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [accountRecordOf()] } }));
});

function newBrowser(): CookieStore {
  const jar = new Map<string, string>();
  return {
    get: (name) => (jar.has(name) ? { name, value: jar.get(name) ?? "" } : undefined),
    getAll: () => [...jar].map(([name, value]) => ({ name, value })),
    set: (name, value, cookie) => {
      ages.push(cookie.maxAge);
      if (cookie.maxAge === 0) jar.delete(name);
      else jar.set(name, value);
    },
  };
}

/** A Harbor with these settings. */
function harborWith(settings: Record<string, string>) {
  const partner = partnerWith(settings);
  return {
    leave: async (cookies = browser): Promise<URLSearchParams> => {
      const subject = { user_intent_id: newId() };
      const opened = await openAuthorization(partner, {
        personId: person.id,
        purpose: "seller",
        subject,
        returnTo: "/dashboard",
      });
      if (opened.kind !== "ok") throw new Error("The fake service mints.");
      await rememberAuthorization(partner, cookies, opened.pending);
      return new URL(opened.address).searchParams;
    },
    editCallback: (cookies = browser, who = person) =>
      finishAuthorization(partner, new URLSearchParams({ code: "code", iss: fake.url }), cookies, who),
  };
}

const bothOff = { PARTNER_SERVICE_FEATURES: "none" };
const published = ["session_token", "user_intent_id", "client_id", "redirect_uri", "response_type"];

test("sends only the published parameters, and no verifier", async () => {
  const harbor = harborWith(bothOff);
  expect([...(await harbor.leave()).keys()].toSorted()).toEqual(published.toSorted());
  expect(await harbor.editCallback()).toEqual({ kind: "ok", returnTo: "/dashboard" });
  expect(fake.requestsOf("POST /v1/oauth/token")[0]?.body).not.toHaveProperty("code_verifier");
});

test("each can be left out alone", async () => {
  const harbor = harborWith({ PARTNER_SERVICE_FEATURES: "pkce" });
  expect([...(await harbor.leave()).keys()]).toEqual([...published, "code_challenge", "code_challenge_method"]);
  expect(await harbor.editCallback()).toMatchObject({ kind: "ok" });
  expect(fake.requestsOf("POST /v1/oauth/token")[0]?.body).toHaveProperty("code_verifier");
});

test("a response counts once, in the same browser, for the same person", async () => {
  const harbor = harborWith(bothOff);
  await harbor.leave();
  expect(await harbor.editCallback(newBrowser())).toEqual({ kind: "problem", problem: "unknown_attempt" });
  expect(await harbor.editCallback(browser, await createPerson())).toEqual({
    kind: "problem",
    problem: "other_person",
  });
  await harbor.leave();
  expect(await harbor.editCallback()).toMatchObject({ kind: "ok" });
  expect(await harbor.editCallback()).toEqual({ kind: "problem", problem: "unknown_attempt" });
});

test("only the person who started an authorization can finish it", async () => {
  const harbor = harborWith(bothOff);
  await harbor.leave();
  fake.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ phone: "+14155550000" }) }));
  expect(await harbor.editCallback()).toEqual({ kind: "problem", problem: "other_user" });
});

test("an attempt is remembered for ten minutes", async () => {
  const harbor = harborWith(bothOff);
  await harbor.leave();
  expect(ages).toEqual([10 * 60]);
});

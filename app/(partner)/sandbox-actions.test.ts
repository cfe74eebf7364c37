import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readPendingSignIn } from "#lib/partner/people/challenge-cookie.ts";
import { openSession } from "#lib/partner/people/session.ts";
import { findPersonOf, sessionCookie } from "#lib/partner/people/session-cookie.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { demoEmails, seedPartnerSandbox } from "#lib/partner/sandbox/seed.ts";
import type { Person } from "#lib/partner/storage/people.ts";
import { Browser } from "#lib/partner/testing/browser.ts";
import { startFakeService } from "#lib/partner/testing/fake-service.ts";
import { createPerson, newRegistration, readCode } from "#lib/partner/testing/people.ts";
import { GET as readBar } from "./api/sandbox/bar/route.ts";
import { GET as readMessages } from "./api/sandbox/messages/route.ts";
import { freshPerson, jump, switchPerson } from "./sandbox-actions.ts";
import { enterCode, signIn, signInDemoPerson } from "./sign-in/actions.ts";
import { signUp } from "./sign-up/actions.ts";

vi.mock("next/headers", async () => (await import("#lib/partner/testing/browser.ts")).nextHeaders);
vi.mock("next/cache", async () => (await import("#lib/partner/testing/browser.ts")).nextCache);

const service = await startFakeService();
afterAll(service.stop);
beforeAll(() => seedPartnerSandbox(partner()));

const [olive = "", nils = ""] = demoEmails;

async function signedInBrowser(person: Person): Promise<Browser> {
  const browser = new Browser();
  await browser.within(() => openSession(partner(), person));
  return browser;
}

function sessionIn(browser: Browser): string | undefined {
  return browser.jar.get(sessionCookie(partner()).name)?.value;
}

async function emailOf(sealed: string | undefined): Promise<string | undefined> {
  return (await findPersonOf(partner(), sealed))?.person.email;
}

async function barOf(browser: Browser) {
  return (await browser.get(readBar, "/api/sandbox/bar")).json();
}

async function emailsOffered(browser: Browser): Promise<string[]> {
  return (await barOf(browser)).others.map(({ email }: { email: string }) => email);
}

describe("switching person", () => {
  test("switches to a demo person and back, and ends the previous session", async () => {
    const person = await createPerson();
    const browser = await signedInBrowser(person);
    expect(await emailsOffered(browser)).toEqual(demoEmails);
    const previous = sessionIn(browser);
    expect(await browser.submit(switchPerson, { email: olive, return_to: "" })).toEqual({ redirectTo: "/business" });
    expect([await emailOf(previous), await emailOf(sessionIn(browser))]).toEqual([undefined, olive]);
    expect(await barOf(browser)).toMatchObject({ current: { email: olive, role: "operator" } });
    expect(await emailsOffered(browser)).toEqual([...demoEmails.slice(1), person.email]);
    const back = { email: person.email, return_to: "/dashboard" };
    expect(await browser.submit(switchPerson, back)).toEqual({ redirectTo: "/dashboard" });
    expect(await emailOf(sessionIn(browser))).toBe(person.email);
  });

  test("can't switch to people from other browsers", async () => {
    const [person, other] = [await createPerson(), await createPerson()];
    const browser = await signedInBrowser(person);
    const refused = await browser.submit(switchPerson, { email: other.email, return_to: "" });
    expect(refused).toEqual({ problems: [{ field: "form", message: "This browser can't switch to that person." }] });
    expect(await emailOf(sessionIn(browser))).toBe(person.email);
    const signedOut = await barOf(new Browser());
    expect(signedOut).toMatchObject({ current: null, waiting: [] });
  });

  test("offers this browser's last three people, until it starts over", async () => {
    const browser = new Browser();
    const previous: string[] = [];
    for (let at = 0; at < 4; at++) {
      const person = await createPerson();
      await browser.within(() => openSession(partner(), person));
      await browser.submit(switchPerson, { email: nils, return_to: "" });
      previous.unshift(person.email);
    }
    expect((await emailsOffered(browser)).filter((email) => !demoEmails.includes(email))).toEqual(previous.slice(0, 3));
    const ended = sessionIn(browser);
    await browser.submit(signIn, { email: previous[0] ?? "", password: newRegistration().password, return_to: "" });
    expect(await browser.submit(freshPerson)).toEqual({ redirectTo: "/sign-up" });
    expect(await emailOf(ended)).toBeUndefined();
    expect(await emailsOffered(browser)).toEqual(demoEmails);
    expect(await browser.within(() => readPendingSignIn(partner()))).toBeUndefined();
  });
});

test("a person whose session a clock jump ended can switch back", async () => {
  service.answer("POST /sandbox/clock/advance", ({ body }) => ({
    status: 200,
    body: { now: new Date().toISOString(), offset_seconds: Number(body["seconds"]) },
  }));
  service.answer("POST /sandbox/clock/reset", () => ({ status: 200, body: { now: "", offset_seconds: 0 } }));
  const person = await createPerson();
  const browser = await signedInBrowser(person);
  expect(await browser.submit(jump, { seconds: "46800" })).toMatchObject({ problems: [] });
  expect(await emailOf(sessionIn(browser))).toBeUndefined();
  expect(await emailsOffered(browser)).toEqual([...demoEmails, person.email]);
  const back = { email: person.email, return_to: "" };
  expect(await browser.submit(switchPerson, back)).toEqual({ redirectTo: "/onboarding" });
});

describe("the phone and inbox in the bar", () => {
  async function devicesIn(browser: Browser) {
    return (await (await browser.get(readMessages, "/api/sandbox/messages")).json()).devices;
  }

  test("show only this browser's messages, and which device gets the next code", async () => {
    const [browser, other] = [new Browser(), new Browser()];
    const { email, phone, ...rest } = newRegistration();
    await browser.submit(signUp, { email, phone, ...rest });
    expect(await devicesIn(browser)).toMatchObject([
      { kind: "email", address: email, messages: [{ kind: "email" }], isAwaited: true },
    ]);
    expect(await devicesIn(other)).toEqual([]);
    const pending = await browser.within(() => readPendingSignIn(partner()));
    const code = await readCode(pending?.key ?? { id: "", secret: "" });
    await browser.submit(enterCode, { step: "email", code });
    expect(await devicesIn(browser)).toMatchObject([
      { kind: "email", address: email, messages: [{ kind: "email" }], isAwaited: false },
      { kind: "text", address: phone, messages: [{ kind: "text" }], isAwaited: true },
    ]);
  });

  test("let only demo people sign in with one click and the texted code", async () => {
    const browser = new Browser();
    expect(await browser.submit(signInDemoPerson, { email: olive, return_to: "/routines" })).toEqual({
      redirectTo: "/sign-in/code",
    });
    const [phone] = await devicesIn(browser);
    const [code = ""] = /\b\d{6}\b/.exec(phone.messages[0].text) ?? [];
    expect(await browser.submit(enterCode, { code })).toEqual({ redirectTo: "/routines" });
    const { email } = await createPerson();
    expect(await new Browser().submit(signInDemoPerson, { email, return_to: "" })).toMatchObject({
      problems: [{ field: "form", message: "There is no such demo person." }],
    });
  });
});

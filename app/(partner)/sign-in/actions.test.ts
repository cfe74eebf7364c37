import { afterAll, describe, expect, test, vi } from "vitest";
import { newId } from "#lib/kit/ids.ts";
import { wrongCodeFor } from "#lib/kit/testing/verification-codes.ts";
import { liveStreams } from "#lib/partner/live/live-streams.ts";
import { admitAttempt, tooManyAttempts } from "#lib/partner/people/attempt-limits.ts";
import { readChallenge } from "#lib/partner/people/challenge.ts";
import { readPendingSignIn, rememberPendingSignIn } from "#lib/partner/people/challenge-cookie.ts";
import { findDeviceId } from "#lib/partner/people/known-devices.ts";
import { readAttemptSource, rememberDevice } from "#lib/partner/people/known-devices-cookie.ts";
import { findPersonOf, sessionCookie } from "#lib/partner/people/session-cookie.ts";
import { partner } from "#lib/partner/process-partner.ts";
import type { Person } from "#lib/partner/storage/people.ts";
import { type ActionResult, Browser } from "#lib/partner/testing/browser.ts";
import { readLive } from "#lib/partner/testing/live-reader.ts";
import { createPerson, newRegistration, readCode, readLongCode } from "#lib/partner/testing/people.ts";
import { GET as openStream } from "../live/route.ts";
import { signUp } from "../sign-up/actions.ts";
import { changeEmail, changePhone, enterCode, resendCode, signIn, signOut } from "./actions.ts";
import { generateMetadata } from "./code/page.tsx";

vi.mock("next/headers", async () => (await import("#lib/partner/testing/browser.ts")).nextHeaders);
vi.mock("next/cache", async () => (await import("#lib/partner/testing/browser.ts")).nextCache);

afterAll(() => liveStreams().stop());

const { password } = newRegistration();
const codePage = { redirectTo: "/sign-in/code" };

function problem(field: string, message: string | RegExp) {
  return { problems: [{ field, message: expect.stringMatching(message) }] };
}

async function keyIn(browser: Browser) {
  const pending = await browser.within(() => readPendingSignIn(partner()));
  if (!pending) throw new Error("This browser has no sign-in.");
  return pending.key;
}

async function codeIn(browser: Browser): Promise<string> {
  return readCode(await keyIn(browser));
}

async function signInAs({ email }: Person, browser: Browser, return_to = ""): Promise<ActionResult> {
  expect(await browser.submit(signIn, { email, password, return_to })).toEqual(codePage);
  return browser.submit(enterCode, { code: await codeIn(browser) });
}

/** The value of the session cookie. */
function sessionIn(browser: Browser): string | undefined {
  return browser.jar.get(sessionCookie(partner()).name)?.value;
}

async function personOf(sealed: string | undefined): Promise<string | undefined> {
  return (await findPersonOf(partner(), sealed))?.person.id;
}

async function isKnownFor(browser: Browser, phone: string): Promise<boolean> {
  const source = await browser.within(() => readAttemptSource(partner(), browser.clientAddress));
  return findDeviceId(partner(), source, phone) !== undefined;
}

async function allowResend(browser: Browser): Promise<void> {
  await partner().pool.query(
    "update sign_in_challenges set code_sent_real_at = code_sent_real_at - interval '31 seconds' where id = $1",
    [(await keyIn(browser)).id],
  );
}

describe("signing in", () => {
  test("returns to the requested page, and remembers the browser even after sign-out", async () => {
    const person = await createPerson();
    const browser = new Browser();
    const email = ` ${person.email.toUpperCase()}`;
    expect(await browser.submit(signIn, { email, password, return_to: "/dashboard?week=2" })).toEqual(codePage);
    expect(sessionIn(browser)).toBeUndefined();
    // iron-session ends a cookie a minute before its seal.
    const [hourSeconds, yearSeconds, sealMarginSeconds] = [60 * 60, 365 * 24 * 60 * 60, 60];
    const cookie = { httpOnly: true, sameSite: "lax", path: "/", secure: false };
    expect(browser.jar.get("harbor-sign-in")).toMatchObject({ ...cookie, maxAge: hourSeconds - sealMarginSeconds });
    expect(await browser.within(() => readPendingSignIn(partner()))).toMatchObject({
      phoneEnding: person.phone.slice(-2),
      codeDigits: 6,
      returnTo: "/dashboard?week=2",
    });
    const code = await codeIn(browser);
    expect(await browser.submit(enterCode, { code: wrongCodeFor(code) })).toEqual(problem("code", /4 tries left/));
    expect([sessionIn(browser), await isKnownFor(browser, person.phone)]).toEqual([undefined, false]);

    const { refreshes } = browser;
    expect(await browser.submit(enterCode, { code })).toEqual({ redirectTo: "/dashboard?week=2" });
    expect(browser.refreshes).toBe(refreshes + 1);
    expect(await personOf(sessionIn(browser))).toBe(person.id);
    expect(browser.jar.get(sessionCookie(partner()).name)).toMatchObject({ httpOnly: true, maxAge: 12 * 60 * 60 });
    // A second submission has no sign-in to continue.
    expect(await browser.submit(enterCode, { code })).toEqual({ redirectTo: "/sign-in?ended=code" });

    expect(await browser.submit(signOut)).toEqual({ redirectTo: "/" });
    expect(browser.jar.get("harbor-devices")).toMatchObject({ ...cookie, maxAge: yearSeconds - sealMarginSeconds });
    expect(await isKnownFor(browser, person.phone)).toBe(true);
    expect(await isKnownFor(browser, (await createPerson()).phone)).toBe(false);
  });

  test.each([
    ["seller", "/onboarding"],
    ["operator", "/business"],
  ] as const)("redirects a %s without a return page to %s", async (role, redirectTo) => {
    expect(await signInAs(await createPerson({ role }), new Browser())).toEqual({ redirectTo });
    expect(await signInAs(await createPerson({ role }), new Browser(), "//evil.example")).toEqual({ redirectTo });
  });

  test("as another person ends only this browser's earlier session", async () => {
    const [first, second] = [await createPerson(), await createPerson()];
    const [browser, elsewhere] = [new Browser(), new Browser()];
    await signInAs(first, browser);
    await signInAs(first, elsewhere);
    const copied = sessionIn(browser);
    await signInAs(second, browser);
    expect(await personOf(copied)).toBeUndefined();
    expect(await personOf(sessionIn(browser))).toBe(second.id);
    expect(await personOf(sessionIn(elsewhere))).toBe(first.id);
  });

  test("with wrong credentials sets no cookie, and doesn't say which one is wrong", async () => {
    const [browser, { email }] = [new Browser(), await createPerson()];
    const wrong = await browser.submit(signIn, { email, password: "another long password" });
    const unknown = await browser.submit(signIn, { email: "unknown@example.com", password });
    expect(wrong).toEqual({ ...problem("form", /don't match/), title: "We couldn't sign you in" });
    expect(unknown).toEqual(wrong);
    expect([...browser.jar]).toEqual([]);
  });

  test("after ten wrong passwords has to wait, but only from that network address", async () => {
    const [browser, person] = [new Browser(), await createPerson()];
    const { email } = person;
    for (let attempt = 0; attempt < 10; attempt++)
      await browser.submit(signIn, { email, password: "a wrong password" });
    expect(await browser.submit(signIn, { email, password })).toEqual({
      ...problem("form", /try again in 1\d minutes\.$/),
      title: "Please wait before you try again",
    });
    await signInAs(person, new Browser());
  });

  test("with a correct code doesn't count toward the day's twenty", async () => {
    const person = await createPerson();
    for (let attempt = 0; attempt < 19; attempt++) await admitAttempt(partner(), { code: person.id });
    for (let time = 0; time < 2; time++) {
      expect(await signInAs(person, new Browser())).toEqual({ redirectTo: "/onboarding" });
    }
  });

  test("after too many wrong passwords requires the long code before the password", async () => {
    const { email, phone } = await createPerson();
    for (let attempt = 0; attempt < 200; attempt++) await admitAttempt(partner(), { sign_in_account: email });
    const browser = new Browser();
    const sent = { email, password, return_to: "/dashboard" };
    expect(await browser.submit(signIn, sent)).toEqual(codePage);
    const key = await keyIn(browser);
    const code = await readLongCode(key);
    expect(await browser.within(() => readPendingSignIn(partner()))).toMatchObject({ phoneEnding: "", codeDigits: 10 });
    // The notice must not speak of earlier codes: this is the first.
    const notice = expect.stringMatching(/^Enter the ten-digit code/);
    expect(await browser.submit(resendCode)).toMatchObject({ notice });
    const wrong = await browser.submit(enterCode, { code: wrongCodeFor(code) });
    expect(wrong).toEqual(problem("code", /isn't the ten-digit code that we texted/));
    expect(await isKnownFor(browser, phone)).toBe(false);
    expect(await browser.submit(enterCode, { code })).toEqual({
      redirectTo: "/sign-in?phone=proven&return_to=%2Fdashboard",
    });
    expect(sessionIn(browser)).toBeUndefined();
    expect(await isKnownFor(browser, phone)).toBe(true);
    expect(await browser.submit(signIn, sent)).toEqual(codePage);
    expect(await browser.submit(enterCode, { code: await codeIn(browser) })).toEqual({ redirectTo: "/dashboard" });
  });
});

test("signing out ends the session on the server, and closes only its streams", async () => {
  const person = await createPerson();
  const [browser, elsewhere] = [new Browser(), new Browser()];
  await signInAs(person, browser);
  await signInAs(person, elsewhere);
  const streamOf = async (of: Browser) => {
    const { status, headers, body } = await of.get(openStream, "/live");
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store, no-transform"]);
    if (!body) throw new Error("A stream has a body.");
    const reader = readLive(body);
    expect(await reader.next()).toEqual({ kind: "ready" });
    return reader;
  };
  const [closed, open] = [await streamOf(browser), await streamOf(elsewhere)];
  const copied = sessionIn(browser);
  expect(await browser.submit(signOut)).toEqual({ redirectTo: "/" });
  expect([sessionIn(browser), await personOf(copied)]).toEqual([undefined, undefined]);
  expect(await closed.next()).toEqual({ kind: "session_ended" });
  expect((await browser.get(openStream, "/live")).status).toBe(401);
  await partner().pool.query("select announce_change($1, 'user', null)", [person.id]);
  expect(await open.next()).toEqual({ kind: "changed", topic: "user" });
  await open.leave();
});

describe("a code", () => {
  test.each([
    ["12345", "Enter the six digits from the text."],
    ["1234567", "Enter the six digits from the text."],
    ["", "Enter the six digits from the text."],
  ])("of %j is invalid and doesn't use up a try", async (code, message) => {
    const [browser, { email }] = [new Browser(), await createPerson()];
    await browser.submit(signIn, { email, password });
    expect(await browser.submit(enterCode, { code })).toEqual(problem("code", message));
    const wrong = wrongCodeFor(await codeIn(browser));
    expect(await browser.submit(enterCode, { code: wrong })).toEqual(problem("code", /4 tries left/));
  });

  test("warns before the last try, and expires after it", async () => {
    const [browser, { email }] = [new Browser(), await createPerson()];
    await browser.submit(signIn, { email, password });
    const wrong = wrongCodeFor(await codeIn(browser));
    const responses: unknown[] = [];
    for (let attempt = 0; attempt < 6; attempt++) responses.push(await browser.submit(enterCode, { code: wrong }));
    expect(responses.slice(3)).toEqual([
      problem("code", /You have 1 try left\.$/),
      problem("code", /that was your last try/),
      problem("code", /has expired/),
    ]);
  });

  test("can be resent after half a minute, and the page counts down to it", async () => {
    const [browser, { email }] = [new Browser(), await createPerson()];
    await browser.submit(signIn, { email, password });
    const key = await keyIn(browser);
    const sentAt = (await readChallenge(partner(), key))?.codeSentAt ?? 0;
    vi.useFakeTimers({ toFake: ["Date"] });
    const leftAfter = async (ms: number) => {
      vi.setSystemTime(sentAt + ms);
      return (await readChallenge(partner(), key))?.secondsLeft;
    };
    const left = [await leftAfter(-5000), await leftAfter(0), await leftAfter(1), await leftAfter(29_001)];
    left.push(await leftAfter(30_000), await leftAfter(90_000));
    vi.useRealTimers();
    expect(left).toEqual([30, 30, 30, 1, 0, 0]);
    expect(await readChallenge(partner(), { ...key, secret: "sic_guessed" })).toBeUndefined();

    expect(await browser.submit(resendCode)).toEqual({ problems: [], notice: expect.stringMatching(/30 seconds/) });
    await allowResend(browser);
    expect(await browser.submit(resendCode)).toEqual({ problems: [], notice: "A new code is on its way." });
  });

  test("is replaced by a ten-digit one after twenty wrong ones", async () => {
    const person = await createPerson();
    for (let attempt = 0; attempt < 20; attempt++) await admitAttempt(partner(), { code: person.id });
    const browser = new Browser();
    expect(await signInAs(person, browser)).toEqual(problem("code", /Too many wrong codes.* this phone/));
    expect(await browser.submit(enterCode, { code: "123" })).toEqual(problem("code", /Enter the ten digits/));
    const code = await readLongCode(await keyIn(browser));
    expect(await browser.submit(enterCode, { code })).toEqual({ redirectTo: "/onboarding" });
  });

  test("can't be resent an hour after the sign-in started", async () => {
    const [browser, { email }] = [new Browser(), await createPerson()];
    await browser.submit(signIn, { email, password });
    const age = (interval: string) =>
      partner().pool.query(`update sign_in_challenges set created_at = created_at - interval '${interval}'`);
    await age("59 minutes 30 seconds");
    await allowResend(browser);
    expect(await browser.submit(resendCode)).toMatchObject({ notice: "A new code is on its way." });
    await age("30 seconds");
    await allowResend(browser);
    expect(await browser.submit(resendCode)).toEqual({ redirectTo: "/sign-in?ended=code" });
  });
});

test.each([
  ["seller", "/routines/new?seller=u-1", "/onboarding"],
  ["seller", "/business", "/onboarding"],
  ["seller", "/dashboard/payments", "/dashboard/payments"],
  ["operator", "/dashboard?ended=here", "/business"],
  ["operator", "/routines", "/routines"],
  ["operator", "/routinesque", "/routinesque"],
] as const)("a person with the role %s who signs in on the way to %s continues at %s", async (role, returnTo, next) => {
  expect(await signInAs(await createPerson({ role }), new Browser(), returnTo)).toEqual({ redirectTo: next });
});

test("over https, only Harbor's own host can set its cookies", async () => {
  const [browser, { phone }] = [new Browser(), await createPerson()];
  const overHttps = { ...partner(), config: { ...partner().config, baseUrl: "https://harbor.example" } };
  const pending = { key: { id: newId(), secret: "sic_https" }, phoneEnding: "", codeDigits: 6, returnTo: "" };
  await browser.within(() => rememberPendingSignIn(overHttps, pending));
  await browser.within(() => rememberDevice(overHttps, phone));
  const session = sessionCookie(overHttps);
  browser.cookies.set(session.name, "sealed", session.options);
  const cookie = expect.objectContaining({ httpOnly: true, sameSite: "lax", path: "/", secure: true });
  const names = ["sign-in", "devices", "session"].map((name) => `__Host-harbor-${name}`);
  expect([...browser.jar]).toEqual(names.map((name) => [name, cookie]));
  // Browsers refuse such a cookie if it names a domain.
  expect([...browser.jar.values()].filter((set) => "domain" in set)).toEqual([]);
});

test("a code for a sign-in that a restored database has lost can't be resent", async () => {
  const [browser, { email }] = [new Browser(), await createPerson()];
  const key = { id: newId(), secret: "sic_lost" };
  const pending = { key, phoneEnding: "", codeDigits: 10, returnTo: "" };
  for (const phoneFirst of [{ phoneFirst: email }, {}]) {
    await browser.within(() => rememberPendingSignIn(partner(), { ...pending, ...phoneFirst }));
    expect(await browser.submit(resendCode)).toEqual({ redirectTo: "/sign-in?ended=code" });
  }
  await browser.within(() => rememberPendingSignIn(partner(), { ...pending, returnTo: "/dashboard" }));
  expect(await browser.submit(resendCode)).toEqual({ redirectTo: "/sign-in?ended=code&return_to=%2Fdashboard" });
});

describe("signing up", () => {
  test("verifies the email address, then the phone, even from a stale tab", async () => {
    const [browser, registration] = [new Browser(), newRegistration()];
    expect(await browser.submit(signUp, registration)).toEqual(codePage);
    expect(await browser.within(() => readPendingSignIn(partner()))).toMatchObject({
      email: registration.email,
      phoneEnding: registration.phone.slice(-2),
    });
    const emailed = await codeIn(browser);
    expect(await browser.submit(enterCode, { step: "email", code: wrongCodeFor(emailed) })).toEqual(
      problem("code", /4 tries left/),
    );
    expect(await browser.submit(enterCode, { step: "email", code: emailed })).toEqual(codePage);
    expect(await browser.submit(enterCode, { step: "email", code: emailed })).toEqual(codePage);
    expect(await browser.submit(enterCode, { step: "phone", code: await codeIn(browser) })).toEqual({
      redirectTo: "/onboarding",
    });
    expect(await personOf(sessionIn(browser))).toBeDefined();
    expect(await isKnownFor(browser, registration.phone)).toBe(true);
  });

  test("names each step in the code page's title, which screen readers announce", async () => {
    const [browser, registration] = [new Browser(), newRegistration()];
    await browser.submit(signUp, registration);
    expect(await browser.within(generateMetadata)).toEqual({ title: "Check your email" });
    await browser.submit(enterCode, { step: "email", code: await codeIn(browser) });
    expect(await browser.within(generateMetadata)).toEqual({ title: "Check your phone" });
  });

  test("lets the person correct the email address and the phone, each at its step", async () => {
    const [browser, mistyped, corrected] = [new Browser(), newRegistration(), newRegistration()];
    await browser.submit(signUp, mistyped);
    expect(await browser.submit(changePhone, { phone: corrected.phone })).toEqual({ redirectTo: "/sign-up" });
    expect(await browser.submit(changeEmail, { email: corrected.email })).toEqual(codePage);
    expect(await browser.within(() => readPendingSignIn(partner()))).toMatchObject({
      email: corrected.email,
      phoneEnding: mistyped.phone.slice(-2),
    });
    await browser.submit(enterCode, { step: "email", code: await codeIn(browser) });
    expect(await browser.submit(changePhone, { phone: corrected.phone })).toEqual(codePage);
    expect(await browser.within(() => readPendingSignIn(partner()))).toMatchObject({
      email: corrected.email,
      phoneEnding: corrected.phone.slice(-2),
    });
    await browser.submit(enterCode, { code: await codeIn(browser) });
    const { rows } = await partner().pool.query("select phone from people where email = $1", [corrected.email]);
    expect(rows).toEqual([{ phone: corrected.phone }]);
  });

  test("redirects to sign-in if another browser verified the email address first", async () => {
    const registration = newRegistration();
    const [slow, fast] = [new Browser(), new Browser()];
    for (const browser of [slow, fast]) {
      await browser.submit(signUp, registration);
      await browser.submit(enterCode, { step: "email", code: await codeIn(browser) });
    }
    expect(await fast.submit(enterCode, { code: await codeIn(fast) })).toEqual({ redirectTo: "/onboarding" });
    expect(await slow.submit(enterCode, { code: await codeIn(slow) })).toEqual({ redirectTo: "/sign-in?account=yes" });
    expect(sessionIn(slow)).toBeUndefined();
    expect(await slow.submit(enterCode, { code: "123456" })).toEqual({ redirectTo: "/sign-in?ended=code" });
  });

  test("changes nothing for a browser without a sign-up", async () => {
    const [browser, { email, phone }] = [new Browser(), await createPerson()];
    expect(await browser.submit(resendCode)).toEqual({ redirectTo: "/sign-in?ended=code" });
    await browser.submit(signIn, { email, password });
    expect(await browser.submit(changePhone, { phone })).toEqual({ redirectTo: "/sign-up" });
    expect(await browser.submit(changeEmail, { email })).toEqual({ redirectTo: "/sign-up" });
  });
});

test.each([
  [1, "a minute"],
  [60, "a minute"],
  [61, "2 minutes"],
  [90 * 60, "90 minutes"],
  [90 * 60 + 1, "2 hours"],
  [2 * 3600 + 1, "3 hours"],
  [24 * 3600, "24 hours"],
])("a wait of %i seconds is rounded up to %s", (retryAfterSeconds, duration) => {
  const { problems } = tooManyAttempts("form", { kind: "too_many_attempts", retryAfterSeconds });
  expect(problems).toEqual([{ field: "form", message: expect.stringMatching(new RegExp(` in ${duration}\\.$`)) }]);
});

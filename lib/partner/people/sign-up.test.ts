import pg from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { wrongCodeFor } from "../../kit/testing/verification-codes.ts";
import { partner } from "../process-partner.ts";
import { problemsOf } from "../requests/form-state.ts";
import { findPersonWithPassword } from "../storage/people.ts";
import { setClockAhead } from "../testing/clock.ts";
import { createPerson, newRegistration, proveEmail, readCode, readLongCode } from "../testing/people.ts";
import { admitAttempt } from "./attempt-limits.ts";
import { type ChallengeKey, openChallenge, resendCode } from "./challenge.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { listMessages } from "./messages.ts";
import { type Registration, registrationFields } from "./sign-in-fields.ts";
import { startSignIn } from "./start-sign-in.ts";
import { changeSignUp, startSignUp } from "./start-sign-up.ts";

let addresses = 0;

function newSource() {
  return { clientAddress: `198.51.100.${++addresses}`, knownDevices: [] };
}

async function challengeOf(registration: Registration): Promise<ChallengeKey> {
  const started = await startSignUp(partner(), registration, newSource());
  if (started.kind !== "challenged") throw new Error(started.kind);
  return started.key;
}

/** A sign-up whose phone was sent a code. */
async function provenSignUp(registration: Registration): Promise<ChallengeKey> {
  const key = await challengeOf(registration);
  await proveEmail(key, newSource());
  return key;
}

function tryEmailCode(key: ChallengeKey, code: string) {
  return completeSignIn(partner(), key, code, newSource(), "email");
}

function tryPhoneCode(key: ChallengeKey, code: string) {
  return completeSignIn(partner(), key, code, newSource(), "phone");
}

async function letResend({ id }: ChallengeKey): Promise<void> {
  await partner().pool.query(
    "update sign_in_challenges set code_sent_real_at = code_sent_real_at - interval '31 seconds' where id = $1",
    [id],
  );
}

test("emails a code, then texts one, and creates the person once both have come back, as a seller", async () => {
  const registration = newRegistration();
  const key = await challengeOf(registration);
  expect(await listMessages(partner(), key.id)).toMatchObject([{ kind: "email" }]);
  expect(await tryEmailCode(key, await readCode(key))).toEqual({ kind: "email_proven", codeDigits: 6 });
  expect(await listMessages(partner(), key.id)).toMatchObject([{ kind: "email" }, { kind: "text" }]);
  expect(await findPersonWithPassword(partner().db, registration.email)).toBeUndefined();

  expect(await tryPhoneCode(key, await readCode(key))).toMatchObject({
    kind: "signed_in",
    person: { email: registration.email, phone: registration.phone, role: "seller" },
  });
  const { password } = registration;
  expect((await startSignIn(partner(), { email: registration.email, password }, newSource())).kind).toBe("challenged");
});

test("a phone can't replace the email address, nor an email code the phone", async () => {
  const key = await challengeOf(newRegistration());
  const emailed = await readCode(key);
  expect(await tryPhoneCode(key, emailed)).toEqual({ kind: "other_step" });
  await proveEmail(key, newSource());
  expect(await tryEmailCode(key, emailed)).toEqual({ kind: "other_step" });
  if (emailed !== (await readCode(key)))
    expect(await tryPhoneCode(key, emailed)).toEqual({ kind: "wrong_code", triesLeft: 4 });
  expect((await tryPhoneCode(key, await readCode(key))).kind).toBe("signed_in");
});

test("an email code is in no subject, is accepted once in twenty concurrent tries, and sends one text", async () => {
  const key = await challengeOf(newRegistration());
  const code = await readCode(key);
  const [email] = await listMessages(partner(), key.id);
  expect(email?.subject).not.toMatch(/\d/);
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => tryEmailCode(key, code)));
  expect(outcomes.filter(({ kind }) => kind === "email_proven")).toHaveLength(1);
  expect((await listMessages(partner(), key.id)).filter(({ kind }) => kind === "text")).toHaveLength(1);
});

test("an email code has five tries, ten minutes by Harbor's clock, and none after a new one", async () => {
  const [guessed, late] = [await challengeOf(newRegistration()), await challengeOf(newRegistration())];
  const wrong = wrongCodeFor(await readCode(guessed));
  for (const triesLeft of [4, 3, 2, 1, 0]) {
    expect(await tryEmailCode(guessed, wrong)).toEqual({ kind: "wrong_code", triesLeft });
  }
  expect(await tryEmailCode(guessed, await readCode(guessed))).toEqual({ kind: "ended" });
  expect(await resendCode(partner(), guessed)).toBe("too_soon");
  await letResend(guessed);
  expect(await resendCode(partner(), guessed)).toBe("sent");
  await proveEmail(guessed, newSource());

  const first = await readCode(late);
  onTestFinished(() => setClockAhead("0 seconds"));
  await setClockAhead("10 minutes");
  expect(await tryEmailCode(late, first)).toEqual({ kind: "ended" });
  await letResend(late);
  expect(await resendCode(partner(), late)).toBe("sent");
  const second = await readCode(late);
  if (first !== second) expect((await tryEmailCode(late, first)).kind).toBe("wrong_code");
  expect((await tryEmailCode(late, second)).kind).toBe("email_proven");
});

test("keeps a registration encrypted until then", async () => {
  const registration = newRegistration({ last_name: "Canary-of-the-registration" });
  const key = await challengeOf(registration);
  const code = await readCode(key);
  const { rows } = await partner().pool.query(
    `select to_json(c)::text as row from sign_in_challenges c where id = $1
     union all select to_json(m)::text from messages m where challenge_id = $1`,
    [key.id],
  );
  expect(rows).toHaveLength(2);
  for (const { row } of rows) {
    expect(row).not.toContain("Canary");
    expect(row).not.toContain(registration.password);
    expect(row).not.toMatch(new RegExp(`\\D${code}\\D`));
  }
  expect(rows[0].row).not.toContain(registration.email);
});

test("a mistyped phone is replaced: the rest of the answers stay, and the code sent before opens nothing", async () => {
  const registration = newRegistration();
  const { phone } = newRegistration();
  const mistyped = await provenSignUp(registration);
  const oldCode = await readCode(mistyped);
  const moved = await changeSignUp(partner(), mistyped, { phone }, newSource());
  if (moved.kind !== "challenged") throw new Error(moved.kind);
  expect(await tryPhoneCode(mistyped, oldCode)).toEqual({ kind: "ended" });
  expect(await tryPhoneCode(moved.key, await readCode(moved.key))).toMatchObject({
    kind: "signed_in",
    person: { email: registration.email, phone },
  });
  const { email, password } = registration;
  expect((await startSignIn(partner(), { email, password }, newSource())).kind).toBe("challenged");
  expect(await changeSignUp(partner(), moved.key, { phone }, newSource())).toEqual({ kind: "ended" });
});

test("a mistyped email address is replaced and proven itself: the code sent to the other one opens nothing", async () => {
  const { email } = newRegistration();
  const mistyped = await challengeOf(newRegistration());
  const oldCode = await readCode(mistyped);
  const both = await Promise.all([
    changeSignUp(partner(), mistyped, { email }, newSource()),
    changeSignUp(partner(), mistyped, { email }, newSource()),
  ]);
  expect(both.map(({ kind }) => kind).sort()).toEqual(["challenged", "ended"]);
  const moved = both.find((outcome) => outcome.kind === "challenged");
  if (!moved) throw new Error("No tab has changed it.");
  expect(await tryEmailCode(mistyped, oldCode)).toEqual({ kind: "ended" });
  if (oldCode !== (await readCode(moved.key))) expect((await tryEmailCode(moved.key, oldCode)).kind).toBe("wrong_code");
  await proveEmail(moved.key, newSource());
  expect(await tryPhoneCode(moved.key, await readCode(moved.key))).toMatchObject({ person: { email } });
});

test("a proven email address isn't replaced, nor a phone before it", async () => {
  const { email, phone } = newRegistration();
  const unproven = await challengeOf(newRegistration());
  expect(await changeSignUp(partner(), unproven, { phone }, newSource())).toEqual({ kind: "ended" });
  await proveEmail(unproven, newSource());
  expect(await changeSignUp(partner(), unproven, { email }, newSource())).toEqual({ kind: "ended" });
});

test("a phone is replaced once by two tabs, counts as a text to it, and never in a sign-in", async () => {
  const { phone } = newRegistration();
  const key = await provenSignUp(newRegistration());
  const both = await Promise.all([
    changeSignUp(partner(), key, { phone }, newSource()),
    changeSignUp(partner(), key, { phone }, newSource()),
  ]);
  expect(both.map(({ kind }) => kind).sort()).toEqual(["challenged", "ended"]);

  const change = async () => changeSignUp(partner(), await provenSignUp(newRegistration()), { phone }, newSource());
  for (let text = 1; text < 10; text++) expect(await change()).toMatchObject({ codeDigits: 6 });
  expect(await change()).toMatchObject({ codeDigits: 10 });

  const owner = await createPerson();
  const { key: signIn } = await openChallenge(partner(), { kind: "sign_in", person: owner });
  expect(await changeSignUp(partner(), signIn, { phone }, newSource())).toEqual({ kind: "ended" });
});

describe("for an email address that has an account", () => {
  test("answers as for a new one, after the same statements", async () => {
    const owner = await createPerson();
    const query = vi.spyOn(pg.Client.prototype, "query");
    onTestFinished(() => query.mockRestore());
    const observe = async (registration: Registration) => {
      query.mockClear();
      const started = await startSignUp(partner(), registration, newSource());
      const statements = query.mock.calls.map(([statement]) => textOf(statement));
      if (started.kind !== "challenged") throw new Error(started.kind);
      await letResend(started.key);
      query.mockClear();
      const resent = await resendCode(partner(), started.key);
      statements.push(...query.mock.calls.map(([statement]) => textOf(statement)));
      return { started: { ...started, key: {} }, resent, statements };
    };
    const free = await observe(newRegistration());
    expect(free.statements.join()).toContain("messages");
    expect(await observe(newRegistration({ email: owner.email }))).toEqual(free);
  });

  test("answers as for a new one when the address is changed to it", async () => {
    const owner = await createPerson();
    const changed = await changeSignUp(
      partner(),
      await challengeOf(newRegistration()),
      { email: owner.email },
      newSource(),
    );
    expect(changed).toMatchObject({ kind: "challenged", codeDigits: 6 });
    if (changed.kind !== "challenged") return;
    expect((await listMessages(partner(), changed.key.id)).map(({ text }) => text).join()).toMatch(/sign in at/);
  });

  test("emails its owner a notice, with no code, and texts no one", async () => {
    const owner = await createPerson();
    const key = await challengeOf(newRegistration({ email: owner.email }));
    const { rows } = await partner().pool.query("select email, phone from messages where challenge_id = $1", [key.id]);
    expect(rows).toEqual([{ email: owner.email, phone: null }]);
    const [notice] = await listMessages(partner(), key.id);
    expect(notice?.text).toMatch(/tried to sign up/);
    expect(notice?.text).not.toMatch(/\d{6}/);
  });

  test("rejects every code as wrong, like any challenge", async () => {
    const owner = await createPerson();
    const taken = await challengeOf(newRegistration({ email: owner.email }));
    const free = await challengeOf(newRegistration());
    const wrong = wrongCodeFor(await readCode(free));
    for (let attempt = 0; attempt < 6; attempt++) {
      expect(await tryEmailCode(taken, wrong)).toEqual(await tryEmailCode(free, wrong));
    }
  });

  test("sends notices as often as codes, and never a long code", async () => {
    const owner = await createPerson();
    for (let attempt = 0; attempt < 12; attempt++) await challengeOf(newRegistration({ email: owner.email }));
    const { rows } = await partner().pool.query("select challenge_id as id from messages where email = $1", [
      owner.email,
    ]);
    expect(rows).toHaveLength(8);
    for (const { id } of rows) {
      expect((await listMessages(partner(), id)).map(({ text }) => text).join()).not.toMatch(/\d{5}/);
    }
  });

  test("leaves the owner's account as it was", async () => {
    const owner = await createPerson();
    await challengeOf(newRegistration({ email: owner.email, password: "the password of a stranger" }));
    const after = await findPersonWithPassword(partner().db, owner.email);
    expect(after).toMatchObject({ id: owner.id, phone: owner.phone });
    const stranger = { email: owner.email, password: "the password of a stranger" };
    expect(await startSignIn(partner(), stranger, newSource())).toEqual({ kind: "refused" });
  });
});

test("only the first of two sign-ups with the same verified address creates an account", async () => {
  const first = newRegistration();
  const [mine, other, late] = [
    await provenSignUp(first),
    await provenSignUp(newRegistration({ email: first.email })),
    await challengeOf(newRegistration({ email: first.email })),
  ];
  const outcomes = await Promise.all([
    tryPhoneCode(mine, await readCode(mine)),
    tryPhoneCode(other, await readCode(other)),
  ]);
  expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["has_account", "signed_in"]);
  expect(await tryEmailCode(late, await readCode(late))).toEqual({ kind: "has_account" });
  expect((await listMessages(partner(), late.id)).map(({ kind }) => kind)).toEqual(["email"]);
});

test("strangers' sign-ups send a limited number of emails, and don't lock the address's owner out", async () => {
  const { email } = newRegistration();
  // Within a day's limit of codes; beyond it, the two limits may count concurrent attempts in different orders.
  const strangers = await Promise.all(Array.from({ length: 15 }, () => challengeOf(newRegistration({ email }))));
  const { rows } = await partner().pool.query("select challenge_id as id from messages where email = $1", [email]);
  expect(rows).toHaveLength(8);
  const [stranger] = strangers;
  if (!stranger) throw new Error("No sign-up was begun.");
  expect(await resendCode(partner(), stranger)).toBe("too_soon");
  for (const key of strangers.slice(0, 4)) {
    for (let attempt = 0; attempt < 5; attempt++) await tryEmailCode(key, "000000");
  }

  const owner = newRegistration({ email });
  const started = await startSignUp(partner(), owner, newSource());
  if (started.kind !== "challenged") throw new Error(started.kind);
  expect(started.codeDigits).toBe(10);
  const codes = await Promise.all(rows.map((row) => readLongCode(row).catch(() => undefined)));
  const longCode = codes.find(Boolean) ?? "";
  expect(await tryEmailCode(started.key, wrongCodeFor(longCode))).toEqual({ kind: "wrong_long_code" });
  expect(await tryEmailCode(started.key, longCode)).toEqual({ kind: "email_proven", codeDigits: 6 });
  expect(await tryPhoneCode(started.key, await readCode(started.key))).toMatchObject({ person: { email } });
});

test("sends at most fifteen codes a day to one email address, new codes included", async () => {
  const { email } = newRegistration();
  for (let hour = 0; hour < 3; hour++) {
    const key = await challengeOf(newRegistration({ email }));
    for (let code = 1; code < 5; code++) {
      await letResend(key);
      expect(await resendCode(partner(), key)).toBe("sent");
    }
    await partner().pool.query(
      "update attempts set started_real_at = started_real_at - interval '1 hour' where kind = 'sign_up_email'",
    );
  }
  const started = await startSignUp(partner(), newRegistration({ email }), newSource());
  expect(started).toMatchObject({ codeDigits: 10 });
});

test("sends at most ten codes an hour to one phone, new codes included", async () => {
  const { phone } = newRegistration();
  const key = await provenSignUp(newRegistration({ phone }));
  for (let attempt = 1; attempt < 10; attempt++) await provenSignUp(newRegistration({ phone }));
  const eleventh = await challengeOf(newRegistration({ phone }));
  expect(await tryEmailCode(eleventh, await readCode(eleventh))).toEqual({ kind: "email_proven", codeDigits: 10 });
  await letResend(key);
  expect(await resendCode(partner(), key)).toBe("sent_long");
});

test("sends at most thirty codes a day to one phone, regardless of the hour", async () => {
  const { phone } = newRegistration();
  for (let text = 0; text < 29; text++) await admitAttempt(partner(), { sign_up_text_day: phone });
  const [last, further] = [
    await challengeOf(newRegistration({ phone })),
    await challengeOf(newRegistration({ phone })),
  ];
  expect(await tryEmailCode(last, await readCode(last))).toEqual({ kind: "email_proven", codeDigits: 6 });
  expect(await tryEmailCode(further, await readCode(further))).toEqual({ kind: "email_proven", codeDigits: 10 });
});

test("accepts 300 sign-ups and changes an hour from each network", async () => {
  const office = newSource();
  const start = (source: typeof office) => startSignUp(partner(), newRegistration(), source);
  const started = await start(office);
  if (started.kind !== "challenged") throw new Error(started.kind);
  await partner().pool.query("update attempts set count = 299 where kind = 'sign_up_address'");
  const { email } = newRegistration();
  const changed = await changeSignUp(partner(), started.key, { email }, office);
  if (changed.kind !== "challenged") throw new Error(changed.kind);
  const tooMany = {
    kind: "too_many_attempts",
    retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds > 3000),
  };
  expect(await start(office)).toEqual(tooMany);
  expect(await changeSignUp(partner(), changed.key, { email: newRegistration().email }, office)).toEqual(tooMany);
  expect((await start(newSource())).kind).toBe("challenged");
});

describe("the form", () => {
  test("accepts a password of 12 characters and refuses one of 11", () => {
    const parse = (password: string) => registrationFields.safeParse({ ...newRegistration(), password });
    expect(parse("x".repeat(12)).success).toBe(true);
    const short = parse("x".repeat(11));
    expect(short.error && problemsOf(short.error)).toEqual([
      {
        field: "password",
        message: "Choose a password of at least 12 characters.",
      },
    ]);
  });

  test("names each wrong field once, and shows no value", () => {
    const result = registrationFields.safeParse({ first_name: " ", email: "x", phone: "555", password: "pier 39" });
    const problems = result.error ? problemsOf(result.error) : [];
    expect(problems.map(({ field }) => field)).toEqual(["first_name", "last_name", "email", "phone", "password"]);
    expect(JSON.stringify(problems)).not.toContain("pier 39");
  });

  test("keeps the email address in lower case, without spaces", () => {
    const parsed = registrationFields.parse({ ...newRegistration(), email: " Marta@Example.COM " });
    expect(parsed.email).toBe("marta@example.com");
  });
});

function textOf(statement: unknown): string {
  const text = typeof statement === "object" && statement !== null ? Reflect.get(statement, "text") : statement;
  return String(text);
}

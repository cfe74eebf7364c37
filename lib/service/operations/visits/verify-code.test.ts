import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { firstIdAt, newId } from "../../../kit/ids.ts";
import { wrongCodeFor } from "../../../kit/testing/verification-codes.ts";
import { visitTools } from "../../sandbox/visit-tools.ts";
import { database } from "../../storage/database.ts";
import { failedVerifications, messages } from "../../storage/schema.ts";
import { advanceClock, createTestClient } from "../../testing/clients.ts";
import { insertTestIntent, insertTestUser } from "../../testing/people.ts";
import { openTestVisit, readTestCodes } from "../../testing/visits.ts";
import { authorizeVisit } from "./finish-visit.ts";
import { readVisit, type VisitKey } from "./read-visit.ts";
import { resendVerificationCode, verifyCode } from "./verify-code.ts";

const untrusted = { loggedInSecondsAgo: 31 * 86_400 };

async function openUntrustedVisit() {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  const key = await openTestVisit(client, person, untrusted);
  const [verificationCode = ""] = await readTestCodes(client, person.phone);
  return { client, person, key, verificationCode };
}

test("the texted code opens consent, even with letters, a dash and a space in it", async () => {
  const { key, verificationCode } = await openUntrustedVisit();
  const copied = `G-${verificationCode.slice(0, 3)} ${verificationCode.slice(3)}`;
  expect(await verifyCode(key, copied)).toEqual({ kind: "verified" });
  expect(await readVisit(key)).toMatchObject({
    kind: "consent",
    personName: "Grace Hopper",
    redirectHost: "partner.example",
  });
});

test("a code works once", async () => {
  const { key, verificationCode } = await openUntrustedVisit();
  await verifyCode(key, verificationCode);
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "not_waiting" });
});

test("an intent becomes a user once its person has authenticated", async () => {
  const client = await createTestClient();
  const person = await insertTestIntent(client);
  const key = await openTestVisit(client, person, untrusted);
  const [verificationCode = ""] = await readTestCodes(client, person.phone);
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "verified" });
  expect(await authorizeVisit(key)).toMatchObject({ kind: "authorized" });
});

test("a phone that belongs to another person redirects back without saying why", async () => {
  const client = await createTestClient();
  const owner = await insertTestIntent(client);
  await openTestVisit(client, owner);
  const otherIntent = await insertTestIntent(client, { phone: owner.phone, email: "eve@example.com" });
  const key = await openTestVisit(client, otherIntent, untrusted);
  const [verificationCode = ""] = await readTestCodes(client, owner.phone);
  expect(await verifyCode(key, verificationCode)).toMatchObject({
    kind: "cancelled",
    returnTo: expect.stringContaining("error=access_denied"),
  });
  expect((await readVisit(key)).kind).toBe("cancelled");
});

test("five wrong tries use up a code: the right one is refused, a new one works", async () => {
  const { client, person, key, verificationCode } = await openUntrustedVisit();
  for (let triesLeft = 4; triesLeft >= 1; triesLeft -= 1) {
    expect(await verifyCode(key, wrongCodeFor(verificationCode))).toEqual({ kind: "wrong_code" });
    expect(await readVisit(key)).toMatchObject({ problem: { kind: "wrong_code", triesLeft }, isResent: false });
  }
  expect(await verifyCode(key, wrongCodeFor(verificationCode))).toEqual({ kind: "wrong_code" });
  expect(await readVisit(key)).toMatchObject({ problem: { kind: "code_used_up" } });
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "code_used_up" });

  await advanceClock(client, 30);
  expect(await resendVerificationCode(key)).toEqual({ kind: "sent" });
  const [newCode = ""] = await readTestCodes(client, person.phone);
  expect(await readVisit(key)).toMatchObject({ isResent: true, problem: undefined });
  if (newCode !== verificationCode) expect(await verifyCode(key, verificationCode)).toEqual({ kind: "wrong_code" });
  expect(await verifyCode(key, newCode)).toEqual({ kind: "verified" });
});

test("of twenty concurrent wrong tries, five count for one code", async () => {
  const { key, verificationCode } = await openUntrustedVisit();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => verifyCode(key, wrongCodeFor(verificationCode))));
  expect(outcomes.filter(({ kind }) => kind === "wrong_code")).toHaveLength(5);
  expect(outcomes.filter(({ kind }) => kind === "code_used_up")).toHaveLength(15);
});

// New visits and a moved clock allow no more guesses per phone.
test("twenty wrong tries a day block a phone across visits, even if the client's clock moves", async () => {
  const { client, person, key, verificationCode } = await openUntrustedVisit();
  const keys = [key];
  for (let visits = 1; visits < 5; visits += 1) keys.push(await openTestVisit(client, person, untrusted));
  const codes = (await readTestCodes(client, person.phone)).toReversed();
  const tries = keys.flatMap((each, index) =>
    Array.from({ length: 5 }, () => [each, wrongCodeFor(codes[index] ?? "")] as const),
  );
  const outcomes = await Promise.all(tries.map(([each, wrong]) => verifyCode(each, wrong)));
  expect(outcomes.filter(({ kind }) => kind === "wrong_code")).toHaveLength(20);
  expect(outcomes.filter(({ kind }) => kind === "phone_blocked")).toHaveLength(5);

  const [last] = keys.slice(-1);
  if (!last) throw new Error("no visit");
  await advanceClock(client, 60);
  expect(await resendVerificationCode(last)).toEqual({ kind: "phone_blocked" });
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "phone_blocked" });
  expect(await readVisit(last)).toMatchObject({ problem: { kind: "phone_blocked" } });
  await advanceClock(client, 2 * 86_400);
  const later = await openTestVisit(client, person, untrusted);
  expect(await readVisit(later)).toMatchObject({
    problem: { kind: "phone_blocked" },
    canResend: false,
    isCodeSent: false,
  });
  expect(await readTestCodes(client, person.phone)).toHaveLength(5);
});

test("a blocked phone blocks no other phone of its client, and isn't blocked at another client", async () => {
  const { client, person, key, verificationCode } = await openUntrustedVisit();
  const elsewhere = await createTestClient();
  const people = [
    { client, person: await insertTestUser(client) },
    { client: elsewhere, person: await insertTestIntent(elsewhere, { phone: person.phone }) },
  ];
  const rows = Array.from({ length: 20 }, () => ({ id: newId(), clientId: client.clientId, phone: person.phone }));
  await database().insert(failedVerifications).values(rows);
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "phone_blocked" });
  for (const other of people) {
    const visit = await openTestVisit(other.client, other.person, untrusted);
    const [code = ""] = await readTestCodes(other.client, other.person.phone);
    expect(await verifyCode(visit, code)).toEqual({ kind: "verified" });
  }
});

test("wrong tries count for a day of real time", async () => {
  const { client, person, key, verificationCode } = await openUntrustedVisit();
  const failed = { clientId: client.clientId, phone: person.phone };
  const rows = Array.from({ length: 20 }, () => ({ ...failed, id: newId() }));
  const moveTo = (hoursAgo: number) =>
    database()
      .update(failedVerifications)
      .set({ failedRealAt: sql`now() - make_interval(hours => ${hoursAgo})` })
      .where(eq(failedVerifications.phone, person.phone));
  await database().insert(failedVerifications).values(rows);
  await moveTo(23);
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "phone_blocked" });
  await moveTo(25);
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "verified" });
});

test("a code expires after ten minutes by the client's clock", async () => {
  const { client, key, verificationCode } = await openUntrustedVisit();
  await advanceClock(client, 600);
  expect(await readVisit(key)).toMatchObject({ problem: { kind: "code_expired" } });
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "code_expired" });
});

test("a code just before ten minutes still works", async () => {
  const { client, key, verificationCode } = await openUntrustedVisit();
  await advanceClock(client, 598);
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "verified" });
});

test("an expired visit accepts no code and sends no new one, even if its last code is still live", async () => {
  const { client, person, key } = await openUntrustedVisit();
  await advanceClock(client, 1780);
  expect(await resendVerificationCode(key)).toEqual({ kind: "sent" });
  const [lastCode = ""] = await readTestCodes(client, person.phone);
  await advanceClock(client, 30);
  expect(await verifyCode(key, lastCode)).toEqual({ kind: "not_waiting" });
  expect(await resendVerificationCode(key)).toEqual({ kind: "not_waiting" });
  expect(await readTestCodes(client, person.phone)).toHaveLength(2);
});

test("a new code is sent at most every thirty seconds, even in a race", async () => {
  const { client, person, key } = await openUntrustedVisit();
  expect(await resendVerificationCode(key)).toMatchObject({ kind: "too_early", retryAfterSeconds: 30 });
  await advanceClock(client, 30);
  const outcomes = await Promise.all([resendVerificationCode(key), resendVerificationCode(key)]);
  expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(["sent", "too_early"]);
  expect(await readTestCodes(client, person.phone)).toHaveLength(2);
});

test("two visits of one person have separate codes and secrets", async () => {
  const { client, person, key, verificationCode } = await openUntrustedVisit();
  const otherVisit = await openTestVisit(client, person, untrusted);
  const [otherCode = ""] = await readTestCodes(client, person.phone);
  if (otherCode !== verificationCode) {
    expect(await verifyCode(otherVisit, verificationCode)).toEqual({ kind: "wrong_code" });
  }
  expect(await readVisit({ ...key, visitSecret: otherVisit.visitSecret })).toEqual({ kind: "unknown" });
  expect(await verifyCode({ ...key, visitSecret: otherVisit.visitSecret }, verificationCode)).toEqual({
    kind: "not_waiting",
  });
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "verified" });
  expect((await readVisit(otherVisit)).kind).toBe("verification_code");
});

test("texts name the code's purpose, are stored encrypted, and are shown only to the visit's browser", async () => {
  const { person, key, verificationCode } = await openUntrustedVisit();
  const rows = await database().select().from(messages).where(eq(messages.phone, person.phone));
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(verificationCode);
  // A text with an expired code isn't sent.
  expect(rows[0]?.endsRealAt.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);
  expect(await visitTools.readVisitMessages(key)).toMatchObject([
    {
      text: `Plainbook: ${verificationCode} is your code to connect with Harbor & Sons. It expires in 10 minutes. Don't share it with anyone.`,
    },
  ]);
  expect(await visitTools.readVisitMessages({ ...key, visitSecret: "gwv_other" })).toBeUndefined();
  await verifyCode(key, verificationCode);
  expect(await visitTools.readVisitMessages(key)).toBeUndefined();
});

test("a text fits into one SMS: its characters are all of GSM-7, one septet each, and at most 160", async () => {
  const { key } = await openUntrustedVisit();
  const [{ text = "" } = {}] = (await visitTools.readVisitMessages(key)) ?? [];
  expect(text).toMatch(/^[A-Za-z0-9 !"#$%&'()*+,\-./:;<=>?@_]{1,160}$/);
});

// Many visits or a moved clock send no more texts to a phone.
test("a phone gets at most ten texts an hour across visits, even if the client's clock moves; other phones are unaffected", async () => {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  const keys = await Promise.all(Array.from({ length: 20 }, () => openTestVisit(client, person, untrusted)));
  const codes = await readTestCodes(client, person.phone);
  expect(codes).toHaveLength(10);
  // Ten random codes don't all begin with the same digit.
  expect(new Set(codes.map(([first]) => first)).size).toBeGreaterThan(1);
  const views = await Promise.all(keys.map(readVisit));
  const problems = views.map((view) => ("problem" in view ? view.problem?.kind : "none"));
  expect(problems.filter((problem) => problem === undefined)).toHaveLength(10);
  expect(problems.filter((problem) => problem === "texts_used_up")).toHaveLength(10);
  for (const view of views) expect(view).toMatchObject({ kind: "verification_code", canResend: false });
  // A used-up code can't be replaced by a new one now, so the page doesn't offer that.
  const texted = keys[problems.indexOf(undefined)];
  if (!texted) throw new Error("Ten visits got a text.");
  for (let tries = 1; tries <= 5; tries += 1) await verifyCode(texted, "no code");
  expect(await readVisit(texted)).toMatchObject({ problem: { kind: "texts_used_up" } });

  await advanceClock(client, 25 * 60);
  const outcomes = await Promise.all(keys.map(resendVerificationCode));
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["texts_used_up"]));

  const otherUser = await openTestVisit(client, await insertTestUser(client), untrusted);
  expect(await readVisit(otherUser)).toMatchObject({ problem: undefined, canResend: true });
  const elsewhere = await createTestClient();
  const samePhone = await insertTestIntent(elsewhere, { phone: person.phone });
  await openTestVisit(elsewhere, samePhone, untrusted);
  expect(await readTestCodes(elsewhere, person.phone)).toHaveLength(1);
});

test("of nine concurrent requests for a new code, one sends a text, the phone's tenth in the hour", async () => {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  const keys: VisitKey[] = [];
  for (let visits = 1; visits <= 9; visits += 1) keys.push(await openTestVisit(client, person, untrusted));
  await advanceClock(client, 30);
  const outcomes = await Promise.all(keys.map(resendVerificationCode));
  expect(outcomes.filter(({ kind }) => kind === "sent")).toHaveLength(1);
  expect(outcomes.filter(({ kind }) => kind === "texts_used_up")).toHaveLength(8);
  expect(await readTestCodes(client, person.phone)).toHaveLength(10);
});

test("texts older than an hour no longer count, and an earlier code still works", async () => {
  const { client, person, key, verificationCode } = await openUntrustedVisit();
  for (let visits = 1; visits < 10; visits += 1) await openTestVisit(client, person, untrusted);
  const untexted = await openTestVisit(client, person, untrusted);
  expect(await readVisit(untexted)).toMatchObject({ problem: { kind: "texts_used_up" }, isCodeSent: false });
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "verified" });
  // The first 48 bits of an id are its time.
  const hourAgo = firstIdAt(new Date(Date.now() - 61 * 60 * 1000)).slice(0, 13);
  await database()
    .update(messages)
    .set({ id: sql`(${hourAgo} || substr(${messages.id}::text, 14))::uuid` })
    .where(eq(messages.phone, person.phone));
  const later = await openTestVisit(client, person, untrusted);
  expect(await readVisit(later)).toMatchObject({ problem: undefined, canResend: true, isCodeSent: true });
  expect(await readVisit(untexted)).toMatchObject({ problem: { kind: "code_not_sent" }, canResend: true });
  await resendVerificationCode(untexted);
  expect(await readVisit(untexted)).toMatchObject({ problem: undefined, isCodeSent: true });
});

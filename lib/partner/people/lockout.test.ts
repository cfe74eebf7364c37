import { expect, test } from "vitest";
import { wrongCodeFor } from "../../kit/testing/verification-codes.ts";
import { partner } from "../process-partner.ts";
import { setClockAhead } from "../testing/clock.ts";
import { createPerson, newRegistration, proveEmail, readCode, readLongCode } from "../testing/people.ts";
import { admitAttempt } from "./attempt-limits.ts";
import { type ChallengeKey, openChallenge, resendCode } from "./challenge.ts";
import { completeSignIn, provePhone, sendPhoneProof } from "./complete-sign-in.ts";
import { type AttemptSource, addDevice, findDeviceId } from "./known-devices.ts";
import type { Registration } from "./sign-in-fields.ts";
import { startSignIn } from "./start-sign-in.ts";
import { startSignUp } from "./start-sign-up.ts";

// Strangers can't lock anyone out, and guesses and texts are limited.

const { password } = newRegistration();
const wrongPassword = "another long password";
let addresses = 0;

function newDevice(): AttemptSource {
  addresses += 1;
  return { clientAddress: `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`, knownDevices: [] };
}

function knownDevice(phone: string): AttemptSource {
  return { ...newDevice(), knownDevices: addDevice(partner(), [], phone) };
}

async function challengeFrom(email: string, source: AttemptSource) {
  const started = await startSignIn(partner(), { email, password }, source);
  if (started.kind !== "challenged") throw new Error(started.kind);
  return started.key;
}

/** Strangers try a wrong password, twenty at a time, each from its own address; returns the kinds of the results. */
async function guessAsStrangers(email: string, count: number): Promise<string[]> {
  const kinds: string[] = [];
  while (kinds.length < count) {
    const atOnce = Array.from({ length: Math.min(20, count - kinds.length) }, newDevice);
    const outcomes = await Promise.all(
      atOnce.map((source) => startSignIn(partner(), { email, password: wrongPassword }, source)),
    );
    kinds.push(...outcomes.map(({ kind }) => kind));
  }
  return kinds;
}

/** Counts this many wrong passwords for an account, without hashing each. */
async function countFailures(email: string, count: number): Promise<void> {
  for (let failure = 0; failure < count; failure++) await admitAttempt(partner(), { sign_in_account: email });
}

async function phoneFirstFrom(email: string, source: AttemptSource) {
  const started = await startSignIn(partner(), { email, password }, source);
  if (started.kind !== "phone_first") throw new Error(started.kind);
  return started.key;
}

async function countTexts(phone: string): Promise<number> {
  const { rows } = await partner().pool.query("select count(*)::int as count from messages where phone = $1", [phone]);
  return rows[0].count;
}

test("checks 200 wrong passwords a day for one account, and its owner can still sign in", async () => {
  const { email, phone } = await createPerson();
  const known = knownDevice(phone);
  await countFailures(email, 180);
  const outcomes = await guessAsStrangers(email, 1000);
  expect(outcomes.filter((kind) => kind === "refused")).toHaveLength(20);
  expect(outcomes.filter((kind) => kind === "phone_first")).toHaveLength(980);
  expect(await countTexts(phone)).toBe(3);

  // The known device signs in as usual.
  const key = await challengeFrom(email, known);
  expect((await completeSignIn(partner(), key, await readCode(key), known)).kind).toBe("signed_in");

  // A new device gets no text of its own, because the limit is used up; a text the strangers triggered works for the owner.
  const source = newDevice();
  const proofKey = await phoneFirstFrom(email, source);
  await expect(readLongCode(proofKey)).rejects.toThrow("No long code");
  const { rows } = await partner().pool.query("select challenge_id as id from messages where phone = $1", [phone]);
  const [longCode = ""] = await Promise.all(rows.slice(0, 1).map((row) => readLongCode(row)));
  const proven = await provePhone(partner(), email, longCode, source);
  expect(proven).toEqual({ kind: "proven", phone });
  const nowKnown = { ...source, knownDevices: addDevice(partner(), [], phone) };
  const ownKey = await challengeFrom(email, nowKnown);
  expect((await completeSignIn(partner(), ownKey, await readCode(ownKey), nowKnown)).kind).toBe("signed_in");

  // The limit still holds for everyone else, even with the right password.
  expect((await startSignIn(partner(), { email, password }, newDevice())).kind).toBe("phone_first");
});

test("an unknown address gets the same answer, and no code verifies it", async () => {
  const email = `nobody.${Date.now()}@example.com`;
  await countFailures(email, 195);
  const outcomes = await guessAsStrangers(email, 10);
  expect(outcomes.filter((kind) => kind === "refused")).toHaveLength(5);
  const source = newDevice();
  const key = await phoneFirstFrom(email, source);
  await sendPhoneProof(partner(), email, key);
  for (let attempt = 0; attempt < 10; attempt++) {
    expect(await provePhone(partner(), email, "0123456789", source)).toEqual({ kind: "wrong_code" });
  }
  expect((await provePhone(partner(), email, "0123456789", source)).kind).toBe("too_many_attempts");
});

test("a device known to one phone is a new one for any other", async () => {
  const { email } = await createPerson();
  await countFailures(email, 200);
  const strangerWithAnAccount = knownDevice((await createPerson()).phone);
  expect((await startSignIn(partner(), { email, password }, strangerWithAnAccount)).kind).toBe("phone_first");
});

test("checks one of two tries that arrive together when one is left", async () => {
  const { email } = await createPerson();
  const source = newDevice();
  for (let attempt = 0; attempt < 9; attempt++)
    await startSignIn(partner(), { email, password: wrongPassword }, source);
  const two = await Promise.all([
    startSignIn(partner(), { email, password: wrongPassword }, source),
    startSignIn(partner(), { email, password: wrongPassword }, source),
  ]);
  expect(two.map(({ kind }) => kind).sort()).toEqual(["refused", "too_many_attempts"]);
});

test("counts only failures, not correct passwords", async () => {
  const { email } = await createPerson();
  const source = newDevice();
  for (let attempt = 0; attempt < 12; attempt++) await challengeFrom(email, source);
});

test("gives a stolen known device ten tries in fifteen minutes and a hundred a day", async () => {
  const { email, phone } = await createPerson();
  const thief = knownDevice(phone);
  const tryOnce = async () => (await startSignIn(partner(), { email, password: wrongPassword }, thief)).kind;
  for (let attempt = 0; attempt < 10; attempt++) expect(await tryOnce()).toBe("refused");
  expect(await tryOnce()).toBe("too_many_attempts");

  const deviceId = findDeviceId(partner(), thief, phone);
  for (let attempt = 11; attempt < 99; attempt++)
    await admitAttempt(partner(), { sign_in_device: `${email} ${deviceId}` });
  const past = "update attempts set started_real_at = started_real_at - interval '15 minutes' where kind = 'sign_in'";
  await partner().pool.query(past);
  expect([await tryOnce(), await tryOnce()]).toEqual(["refused", "too_many_attempts"]);
  expect((await startSignIn(partner(), { email, password }, knownDevice(phone))).kind).toBe("challenged");
});

test("counts all addresses of one IPv6 customer as one", async () => {
  const { email } = await createPerson();
  const from = (clientAddress: string) =>
    startSignIn(partner(), { email, password: wrongPassword }, { ...newDevice(), clientAddress });
  for (let host = 1; host <= 10; host++) expect((await from(`2001:db8:7:7::${host}`)).kind).toBe("refused");
  expect((await from("2001:db8:7:7:ffff::1")).kind).toBe("too_many_attempts");
  expect((await from("2001:db8:7:8::1")).kind).toBe("refused");
});

test("checks 300 wrong passwords per network in fifteen minutes, not counting known devices", async () => {
  const [first, second] = [await createPerson(), await createPerson()];
  const office = newDevice();
  const tryOnce = async (email: string, source: AttemptSource) =>
    (await startSignIn(partner(), { email, password: wrongPassword }, source)).kind;
  expect(await tryOnce(first.email, office)).toBe("refused");
  await partner().pool.query("update attempts set count = 299 where kind = 'sign_in_address'");
  expect(await tryOnce(second.email, office)).toBe("refused");
  expect(await tryOnce(first.email, office)).toBe("too_many_attempts");
  expect(await tryOnce(first.email, newDevice())).toBe("refused");
  const known = { ...knownDevice(first.phone), clientAddress: office.clientAddress };
  expect(await tryOnce(first.email, known)).toBe("refused");
});

test("a shared browser keeps a stable device ID for each of its last ten people", () => {
  const phones = Array.from({ length: 11 }, () => newRegistration().phone);
  const idOf = (knownDevices: AttemptSource["knownDevices"], phone = "") =>
    findDeviceId(partner(), { knownDevices }, phone);
  const ten = phones
    .slice(0, 10)
    .reduce<AttemptSource["knownDevices"]>((known, phone) => addDevice(partner(), known, phone), []);
  expect(new Set(phones.slice(0, 10).map((phone) => idOf(ten, phone))).size).toBe(10);
  const again = addDevice(partner(), ten, phones[0] ?? "");
  expect(idOf(again, phones[0])).toBe(idOf(ten, phones[0]));
  const eleven = addDevice(partner(), again, phones[10] ?? "");
  expect(phones.filter((phone) => idOf(eleven, phone) === undefined)).toEqual([phones[1]]);
});

test("correct long codes don't count toward the day's ten", async () => {
  const { email, phone } = await createPerson();
  const { key } = await openChallenge(partner(), { kind: "phone_first", phone });
  await sendPhoneProof(partner(), email, key);
  const longCode = await readLongCode(key);
  const owner = newDevice();
  for (let time = 0; time < 11; time++)
    expect((await provePhone(partner(), email, longCode, owner)).kind).toBe("proven");
});

test("someone with the password and wrong codes can't lock out the owner, whose long code works", async () => {
  const { email } = await createPerson();
  for (let challenge = 0; challenge < 4; challenge++) {
    const key = await challengeFrom(email, newDevice());
    const wrong = wrongCodeFor(await readCode(key));
    for (let attempt = 0; attempt < 5; attempt++) await completeSignIn(partner(), key, wrong, newDevice());
  }
  const owner = newDevice();
  const key = await challengeFrom(email, owner);
  expect(await completeSignIn(partner(), key, await readCode(key), owner)).toEqual({ kind: "long_code_needed" });
  const longCode = await readLongCode(key);
  expect(await completeSignIn(partner(), key, wrongCodeFor(longCode), owner)).toEqual({ kind: "wrong_long_code" });
  expect((await completeSignIn(partner(), key, longCode, owner)).kind).toBe("signed_in");
  expect(await completeSignIn(partner(), key, longCode, owner)).toEqual({ kind: "ended" });
});

test("wrong codes from strangers who sign up with a phone don't use up its owner's tries", async () => {
  const { email, phone } = await createPerson();
  for (let signUp = 0; signUp < 4; signUp++) {
    const key = await provenSignUp(newRegistration({ phone }));
    for (let attempt = 0; attempt < 5; attempt++) await completeSignIn(partner(), key, "000000", newDevice());
  }
  const next = await provenSignUp(newRegistration({ phone }));
  expect(await completeSignIn(partner(), next, "000000", newDevice())).toEqual({ kind: "long_code_needed" });
  const owner = newDevice();
  const key = await challengeFrom(email, owner);
  expect((await completeSignIn(partner(), key, await readCode(key), owner)).kind).toBe("signed_in");
});

test("checks ten wrong long codes a day from each address, even concurrent ones", async () => {
  const { email, phone } = await createPerson();
  const stranger = newDevice();
  const wrong = "0000000000";
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => provePhone(partner(), email, wrong, stranger)));
  expect(outcomes.filter(({ kind }) => kind === "wrong_code")).toHaveLength(10);
  expect(outcomes.filter(({ kind }) => kind === "too_many_attempts")).toHaveLength(2);
  expect(await provePhone(partner(), email, wrong, newDevice())).toEqual({ kind: "wrong_code" });
  const ownerBesideThem = { ...knownDevice(phone), clientAddress: stranger.clientAddress };
  expect(await provePhone(partner(), email, wrong, ownerBesideThem)).toEqual({ kind: "wrong_code" });
});

test("sends at most three texts with one long code in six hours, and accepts it for six more hours", async () => {
  const { email, phone } = await createPerson();
  const { key } = await openChallenge(partner(), { kind: "phone_first", phone });
  await setClockAhead("6 hours");
  for (let attempt = 0; attempt < 5; attempt++) await sendPhoneProof(partner(), email, key);
  expect(await countTexts(phone)).toBe(3);
  const longCode = await readLongCode(key);

  await setClockAhead("12 hours");
  expect((await provePhone(partner(), email, longCode, newDevice())).kind).toBe("proven");
  await sendPhoneProof(partner(), email, key);
  expect(await countTexts(phone)).toBe(4);
  expect(await readLongCode(key)).not.toBe(longCode);
  await setClockAhead("18 hours");
  expect((await provePhone(partner(), email, longCode, newDevice())).kind).toBe("wrong_code");
});

test("a long code passes only its own phone's challenge", async () => {
  const [ownPerson, otherPerson] = [await createPerson(), await createPerson()];
  const source = newDevice();
  const key = await challengeFrom(ownPerson.email, source);
  await sendPhoneProof(partner(), ownPerson.email, key);
  const longCode = await readLongCode(key);
  const otherKey = await challengeFrom(otherPerson.email, source);
  expect(await completeSignIn(partner(), otherKey, longCode, source)).toEqual({ kind: "wrong_long_code" });
  expect(await provePhone(partner(), otherPerson.email, longCode, source)).toEqual({ kind: "wrong_code" });
});

test("strangers who sign up with another person's phone exhaust its texts, but don't lock its owner out", async () => {
  const { phone } = newRegistration();
  // More would also exceed the day's limit, and the two limits may count concurrent attempts in different orders.
  const keys = await Promise.all(Array.from({ length: 30 }, () => provenSignUp(newRegistration({ phone }))));
  expect(await countTexts(phone)).toBe(13);
  const [key] = keys;
  if (!key) throw new Error("No sign-up was begun.");
  expect(await resendCode(partner(), key)).toBe("too_soon");

  const owner = newDevice();
  const registration = newRegistration({ phone });
  const ownKey = await provenSignUp(registration);
  const { rows } = await partner().pool.query("select challenge_id as id from messages where phone = $1 order by id", [
    phone,
  ]);
  const codes = await Promise.all(rows.map((row) => readLongCode(row).catch(() => undefined)));
  const completed = await completeSignIn(partner(), ownKey, codes.find(Boolean) ?? "", owner);
  expect(completed).toMatchObject({ kind: "signed_in", person: { email: registration.email } });
});

/** A sign-up with a verified email address, from its own device. */
async function provenSignUp(registration: Registration): Promise<ChallengeKey> {
  const source = newDevice();
  const started = await startSignUp(partner(), registration, source);
  if (started.kind !== "challenged") throw new Error(started.kind);
  await proveEmail(started.key, source);
  return started.key;
}

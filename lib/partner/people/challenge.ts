import { randomInt } from "node:crypto";
import { brandName } from "../../../brand/name.ts";
import { limits } from "../../contract/limits.ts";
import { decryptText, encryptText } from "../../kit/encryption.ts";
import { newId } from "../../kit/ids.ts";
import { keyedHash, newSecret, sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import type { Db } from "../storage/database.ts";
import type { NewPerson, Person } from "../storage/people.ts";
import { admitAttempt } from "./attempt-limits.ts";
import { longCodeDigits, sendLongCode } from "./long-code.ts";
import { type Challenge, findOpenChallenge, insertChallenge, replaceChallengeCode } from "./storage.ts";
import { sendText } from "./texts.ts";

export const shortCodeDigits = 6;

/** What a browser needs to continue a challenge; stored in an encrypted cookie only. */
export type ChallengeKey = { id: string; secret: string };

/** Whose phone gets the code. */
export type ChallengeSubject =
  | { kind: "sign_in"; person: Pick<Person, "id" | "phone"> }
  | { kind: "sign_up"; registration: NewPerson }
  /** The email address is taken. The caller must not learn that, but no code is sent. */
  | { kind: "decoy"; phone: string }
  /** Before the password: the phone is empty when no account has the address. */
  | { kind: "phone_first"; phone: string };

/** `codeDigits`: six, or ten after too many texts. */
export type OpenedChallenge = { key: ChallengeKey; codeDigits: number };

/** Starts a challenge and texts its code, or the phone's long code after too many texts this hour. */
export async function openChallenge(partner: Partner, subject: ChallengeSubject): Promise<OpenedChallenge> {
  const key = { id: newId(), secret: newSecret("sic_") };
  const phone = phoneOf(subject);
  const isShort = subject.kind !== "phone_first" && !(await admitAttempt(partner, textSubjects(subject.kind, phone)));
  const code = newCode();
  const row = { id: key.id, secretHash: sha256(key.secret), codeHash: codeHash(partner, key.id, code) };
  const registrationEncrypted =
    subject.kind === "sign_up" ? await encryptRegistration(partner, key.id, subject.registration) : undefined;

  const whose = {
    ...(subject.kind === "sign_in" && { personId: subject.person.id }),
    ...(registrationEncrypted && { registrationEncrypted }),
  };
  const isSent = subject.kind === "sign_in" || subject.kind === "sign_up";
  await partner.inTransaction(async (tx) => {
    await insertChallenge(tx, { ...row, ...whose, phone });
    if (isSent && isShort) await sendCode(partner, tx, { id: key.id, phone, code });
  });
  if (isSent && !isShort) await sendLongCode(partner, phone, { challengeId: key.id });
  return { key, codeDigits: isShort ? shortCodeDigits : longCodeDigits };
}

/** Texts a new code. `too_soon`: the last one is less than 30 s old. `sent_long`: the long code was sent instead. */
export async function resendCode(
  partner: Partner,
  { id, secret }: ChallengeKey,
): Promise<"sent" | "too_soon" | "sent_long" | "ended"> {
  const challenge = await findOpenChallenge(partner.db, id, sha256(secret));
  if (!challenge) return "ended";
  const { phone } = challenge;
  // Not counted as a text. The row decides below.
  const pauseMs = limits.verificationCodeResendSeconds * 1000;
  if (Date.now() - challenge.codeSentRealAt.getTime() < pauseMs) return "too_soon";
  if (await admitAttempt(partner, textSubjects(challenge.personId ? "sign_in" : "sign_up", phone))) {
    if (!isDecoy(challenge)) await sendLongCode(partner, phone, { challengeId: id });
    return "sent_long";
  }
  const code = newCode();
  return partner.inTransaction(async (tx) => {
    if (!(await replaceChallengeCode(tx, id, codeHash(partner, id, code)))) return "too_soon";
    if (!isDecoy(challenge)) await sendCode(partner, tx, { id, phone, code });
    return "sent";
  });
}

/** A code's hash, keyed and bound to its challenge because the code is short. */
export function codeHash(partner: Partner, challengeId: string, code: string): Buffer {
  return keyedHash(partner.config.sessionSecret, `code:${challengeId}:${code}`);
}

/** The person that a sign-up's challenge creates. */
export async function registrationOf(
  partner: Partner,
  { id, registrationEncrypted }: Challenge,
): Promise<NewPerson | undefined> {
  if (!registrationEncrypted) return undefined;
  return JSON.parse(await decryptText(registrationEncrypted, registrationContext(id), partner.config.keyring));
}

function encryptRegistration(partner: Partner, challengeId: string, registration: NewPerson): Promise<string> {
  return encryptText(JSON.stringify(registration), registrationContext(challengeId), partner.config.keyring);
}

function registrationContext(challengeId: string): string {
  return `sign_in_challenges.registration:${challengeId}`;
}

export function isDecoy({ personId, registrationEncrypted }: Challenge): boolean {
  return !personId && !registrationEncrypted;
}

async function sendCode(
  partner: Partner,
  tx: Db,
  { id, phone, code }: { id: string; phone: string; code: string },
): Promise<void> {
  const text = `Your ${brandName} code is ${code}. It works for ${limits.verificationCodeSeconds / 60} minutes. ${brandName} will never call to ask for it.`;
  await sendText(partner, tx, { phone, text, reader: { challengeId: id } });
}

function phoneOf(subject: ChallengeSubject): string {
  switch (subject.kind) {
    case "sign_in":
      return subject.person.phone;
    case "sign_up":
      return subject.registration.phone;
    case "decoy":
    case "phone_first":
      return subject.phone;
  }
}

// A decoy counts as a sign-up.
function textSubjects(kind: "sign_in" | "sign_up" | "decoy", phone: string): Parameters<typeof admitAttempt>[1] {
  return kind === "sign_in" ? { sign_in_text: phone } : { sign_up_text: phone, sign_up_text_day: phone };
}

function newCode(): string {
  return String(randomInt(10 ** shortCodeDigits)).padStart(shortCodeDigits, "0");
}

/** When the last code was sent, in milliseconds, and the seconds until the next may be. */
export type ResendPause = { codeSentAt: number; secondsLeft: number };

export async function readResendPause(partner: Partner, { id, secret }: ChallengeKey): Promise<ResendPause> {
  const challenge = await findOpenChallenge(partner.db, id, sha256(secret));
  if (!challenge) return { codeSentAt: 0, secondsLeft: 0 };
  const codeSentAt = challenge.codeSentRealAt.getTime();
  const pastSeconds = (Date.now() - codeSentAt) / 1000;
  const secondsLeft = Math.ceil(limits.verificationCodeResendSeconds - pastSeconds);
  return { codeSentAt, secondsLeft: Math.min(limits.verificationCodeResendSeconds, Math.max(0, secondsLeft)) };
}

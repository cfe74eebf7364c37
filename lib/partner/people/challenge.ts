import { randomInt } from "node:crypto";
import { words } from "#words";
import { limits } from "../../contract/limits.ts";
import { newId } from "../../kit/ids.ts";
import { decryptText, encryptText, keyedHash, newSecret, sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { findPersonWithPassword, type NewPerson, type Person } from "../storage/people.ts";
import { admitAttempt } from "./attempt-limits.ts";
import { longCodeDigits, longCodeMessage, takeLongCode } from "./long-code.ts";
import { type MessageContent, type Recipient, sendMessage } from "./messages.ts";
import { type Challenge, claimCodeSend, findOpenChallenge, insertChallenge, replaceChallengeCode } from "./storage.ts";

export const shortCodeDigits = 6;

/** What a browser needs to continue a challenge; stored only in an encrypted cookie. */
export type ChallengeKey = { id: string; secret: string };

/** Who gets the code. A sign-up proves its email address first, then its phone. */
export type ChallengeSubject =
  | { kind: "sign_in"; person: Pick<Person, "id" | "phone"> }
  | { kind: "sign_up"; registration: NewPerson; isEmailProven: boolean }
  /** Before the password. The phone is empty if no account has the email address. */
  | { kind: "phone_first"; phone: string };

/** What the code of a challenge proves. */
export type ChallengeStep = "email" | "phone";

/** `codeDigits`: six, or ten after too many short codes. */
export type OpenedChallenge = { key: ChallengeKey; codeDigits: number };

/** Starts a challenge and sends its code. */
export async function openChallenge(partner: Partner, subject: ChallengeSubject): Promise<OpenedChallenge> {
  const key = { id: newId(), secret: newSecret("sic_") };
  const challenge = await insertChallenge(partner.db, {
    id: key.id,
    secretHash: sha256(key.secret),
    codeHash: noCode(partner, key.id),
    phone: subject.kind === "sign_in" ? subject.person.phone : phoneOf(subject),
    ...(subject.kind === "sign_in" && { personId: subject.person.id }),
    ...(subject.kind === "sign_up" && {
      registrationEncrypted: await encryptRegistration(partner, key.id, subject.registration),
      isEmailProven: subject.isEmailProven,
    }),
  });
  if (subject.kind === "phone_first") return { key, codeDigits: longCodeDigits };
  const sent = await sendNewCode(partner, challenge);
  return { key, codeDigits: sent === "sent_long" ? longCodeDigits : shortCodeDigits };
}

/** Sends a new code. `too_soon`: the last one is less than 30 s old. `sent_long`: sent the long code instead. */
export async function resendCode(
  partner: Partner,
  { id, secret }: ChallengeKey,
): Promise<"sent" | "too_soon" | "sent_long" | "ended"> {
  const challenge = await findOpenChallenge(partner.db, id, sha256(secret));
  return challenge ? sendNewCode(partner, challenge) : "ended";
}

/** Like `resendCode`, for a challenge that was just read. */
export async function sendNewCode(partner: Partner, challenge: Challenge): Promise<"sent" | "too_soon" | "sent_long"> {
  const { id } = challenge;
  if (!(await claimCodeSend(partner.db, id))) return "too_soon";
  const to = await recipientOf(partner, challenge);
  if (await admitAttempt(partner, sendingLimitsOf(challenge, to))) {
    await sendLongCode(partner, challenge);
    return "sent_long";
  }
  const code = String(randomInt(10 ** shortCodeDigits)).padStart(shortCodeDigits, "0");
  const isTaken = await hasAccount(partner, to);
  const hash = isTaken ? noCode(partner, id) : codeHash(partner, challenge, code);
  await partner.inTransaction(async (tx) => {
    await replaceChallengeCode(tx, id, hash);
    await sendMessage(partner, tx, {
      to,
      content: isTaken ? takenNotice(partner) : codeMessage(code),
      challengeId: id,
    });
  });
  return "sent";
}

/** Sends the long code, or the notice for a taken address; nothing if the recipient already has it. */
export async function sendLongCode(partner: Partner, challenge: Challenge): Promise<void> {
  const to = await recipientOf(partner, challenge);
  const isTaken = await hasAccount(partner, to);
  const code = await takeLongCode(partner, to);
  if (code === undefined) return;
  const content = isTaken ? takenNotice(partner) : longCodeMessage(code);
  await partner.inTransaction((tx) => sendMessage(partner, tx, { to, content, challengeId: challenge.id }));
}

/** A code's hash: keyed because the code is short, and bound to its challenge and step. */
export function codeHash(partner: Partner, challenge: Challenge, code: string): Buffer {
  return keyedHash(partner.config.sessionSecret, `code:${challenge.id}:${stepOf(challenge)}:${code}`);
}

// No six digits have this hash.
function noCode(partner: Partner, id: string): Buffer {
  return keyedHash(partner.config.sessionSecret, `code:${id}:${newSecret("none_")}`);
}

export function stepOf({ registrationEncrypted, emailProvenAt }: Challenge): ChallengeStep {
  return registrationEncrypted && !emailProvenAt ? "email" : "phone";
}

export async function recipientOf(partner: Partner, challenge: Challenge): Promise<Recipient> {
  if (stepOf(challenge) === "phone") return { phone: challenge.phone };
  return { email: (await registrationOf(partner, challenge)).email };
}

/** The person that this sign-up will create. */
export async function registrationOf(partner: Partner, { id, registrationEncrypted }: Challenge): Promise<NewPerson> {
  if (!registrationEncrypted) throw new Error("This challenge isn't a sign-up.");
  return JSON.parse(await decryptText(registrationEncrypted, registrationContext(id), partner.config.keyring));
}

function encryptRegistration(partner: Partner, challengeId: string, registration: NewPerson): Promise<string> {
  return encryptText(JSON.stringify(registration), registrationContext(challengeId), partner.config.keyring);
}

function registrationContext(challengeId: string): string {
  return `sign_in_challenges.registration:${challengeId}`;
}

/** Whether the email address to prove already has an account; only its mailbox may learn that. */
export async function hasAccount(partner: Partner, to: Recipient): Promise<boolean> {
  return "email" in to && (await findPersonWithPassword(partner.db, to.email)) !== undefined;
}

function codeMessage(code: string): MessageContent {
  const t = words("messages");
  return {
    subject: t("codeSubject"),
    endsInSeconds: limits.verificationCodeSeconds,
    text: t("code", { code, minutes: String(limits.verificationCodeSeconds / 60) }),
  };
}

function takenNotice(partner: Partner): MessageContent {
  const t = words("messages");
  const address = new URL("/sign-in", partner.config.baseUrl).href;
  return {
    subject: t("takenSubject"),
    endsInSeconds: limits.verificationCodeSeconds,
    text: t("taken", { address }),
  };
}

function phoneOf(subject: Exclude<ChallengeSubject, { kind: "sign_in" }>): string {
  return subject.kind === "sign_up" ? subject.registration.phone : subject.phone;
}

function sendingLimitsOf({ personId }: Challenge, to: Recipient): Parameters<typeof admitAttempt>[1] {
  if ("email" in to) return { sign_up_email: to.email, sign_up_email_day: to.email };
  return personId ? { sign_in_text: to.phone } : { sign_up_text: to.phone, sign_up_text_day: to.phone };
}

/** What a challenge waits for, when its code was sent (ms), and the seconds until it can be resent. */
export type ChallengeView = { step: ChallengeStep; codeSentAt: number; secondsLeft: number };

/** Undefined once the challenge is over. */
export async function readChallenge(
  partner: Partner,
  { id, secret }: ChallengeKey,
): Promise<ChallengeView | undefined> {
  const challenge = await findOpenChallenge(partner.db, id, sha256(secret));
  if (!challenge) return undefined;
  const codeSentAt = challenge.codeSentRealAt.getTime();
  const pastSeconds = (Date.now() - codeSentAt) / 1000;
  const secondsLeft = Math.ceil(limits.verificationCodeResendSeconds - pastSeconds);
  const step = stepOf(challenge);
  return { step, codeSentAt, secondsLeft: Math.min(limits.verificationCodeResendSeconds, Math.max(0, secondsLeft)) };
}

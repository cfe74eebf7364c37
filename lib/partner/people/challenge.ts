import { randomInt } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import { decryptText, encryptText } from "../../kit/encryption.ts";
import { newId } from "../../kit/ids.ts";
import { keyedHash, newSecret, sha256 } from "../../kit/secrets.ts";
import { partnerConfig } from "../config.ts";
import { type Db, inTransaction } from "../storage/database.ts";
import type { NewPerson, Person } from "../storage/people.ts";
import {
  type Challenge,
  findOpenChallenge,
  insertChallenge,
  replaceChallengeCode,
} from "../storage/sign-in-challenges.ts";
import { admitAttempt } from "./attempt-limits.ts";
import { sendText } from "./texts.ts";

/** What a browser must hold to go on with a challenge; kept in an encrypted cookie only. */
export type ChallengeKey = { id: string; secret: string };

/** Between password and code: whose phone is asked. A sign-up's person exists only once the code has come back. */
export type ChallengeSubject =
  | { kind: "sign_in"; person: Pick<Person, "id" | "phone"> }
  | { kind: "sign_up"; registration: NewPerson }
  /** The address is taken: whoever is asking must not learn it, so all goes on as if, but no code is ever sent. */
  | { kind: "decoy"; phone: string };

/** Begins a challenge and sends its code, six digits that live ten minutes. */
export async function openChallenge(subject: ChallengeSubject): Promise<ChallengeKey> {
  const key = { id: newId(), secret: newSecret("sic_") };
  const code = newCode();
  const row = { id: key.id, secretHash: sha256(key.secret), codeHash: codeHash(key.id, code) };
  const registrationEncrypted =
    subject.kind === "sign_up" ? await encryptRegistration(key.id, subject.registration) : undefined;

  await inTransaction(async (tx) => {
    if (subject.kind === "sign_in") {
      await insertChallenge(tx, { ...row, personId: subject.person.id, phone: subject.person.phone });
      await sendCode(tx, { id: key.id, phone: subject.person.phone, code });
    } else if (registrationEncrypted && subject.kind === "sign_up") {
      await insertChallenge(tx, { ...row, registrationEncrypted, phone: subject.registration.phone });
      await sendCode(tx, { id: key.id, phone: subject.registration.phone, code });
    } else if (subject.kind === "decoy") {
      await insertChallenge(tx, { ...row, phone: subject.phone });
    }
  });
  return key;
}

/**
 * Sends a new code for an open challenge: `too_soon` within 30 s of the last one, `too_often` when the phone has had its
 * texts of this hour, `ended` when the challenge is over.
 */
export async function resendCode({ id, secret }: ChallengeKey): Promise<"sent" | "too_soon" | "too_often" | "ended"> {
  const challenge = await findOpenChallenge(id, sha256(secret));
  if (!challenge) return "ended";
  // An impatient click is no text. The row decides below, in one statement.
  const pauseMs = limits.verificationCodeResendSeconds * 1000;
  if (Date.now() - challenge.codeSentRealAt.getTime() < pauseMs) return "too_soon";
  const kind = challenge.personId ? "sign_in_text" : "sign_up_phone";
  if (await admitAttempt({ [kind]: challenge.phone })) return "too_often";
  const code = newCode();
  return inTransaction(async (tx) => {
    if (!(await replaceChallengeCode(tx, id, codeHash(id, code)))) return "too_soon";
    if (!isDecoy(challenge)) await sendCode(tx, { id, phone: challenge.phone, code });
    return "sent";
  });
}

/** What is compared instead of a code: short enough to be guessed, so it is keyed, and bound to its challenge. */
export function codeHash(challengeId: string, code: string): Buffer {
  return keyedHash(partnerConfig().sessionSecret, `code:${challengeId}:${code}`);
}

/** Who is to be created now that the code has come back; undefined for a challenge that signs in somebody known. */
export async function registrationOf({ id, registrationEncrypted }: Challenge): Promise<NewPerson | undefined> {
  if (!registrationEncrypted) return undefined;
  return JSON.parse(await decryptText(registrationEncrypted, registrationContext(id), partnerConfig().keyring));
}

function encryptRegistration(challengeId: string, registration: NewPerson): Promise<string> {
  return encryptText(JSON.stringify(registration), registrationContext(challengeId), partnerConfig().keyring);
}

function registrationContext(challengeId: string): string {
  return `sign_in_challenges.registration:${challengeId}`;
}

function isDecoy({ personId, registrationEncrypted }: Challenge): boolean {
  return !personId && !registrationEncrypted;
}

async function sendCode(tx: Db, { id, phone, code }: { id: string; phone: string; code: string }): Promise<void> {
  const text = `Your Harbor code is ${code}. It is good for 10 minutes. Harbor never asks you for it by phone.`;
  await sendText(tx, { phone, text, reader: { challengeId: id } });
}

function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, "0");
}

import { limits } from "../../contract/limits.ts";
import { sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import type { Db } from "../storage/database.ts";
import { findPersonWithPassword, insertPerson, markAuthenticated, type Person } from "../storage/people.ts";
import { admitAttempt, forgetAttempts, type TooManyAttempts, takeBackAttempt } from "./attempt-limits.ts";
import { type ChallengeKey, codeHash, isDecoy, registrationOf } from "./challenge.ts";
import type { AttemptSource } from "./known-devices.ts";
import { longCodeDigits, sendLongCode, tryLongCode } from "./long-code.ts";
import { type Challenge, findOpenChallenge, spendChallenge, tryChallenge } from "./storage.ts";

/** What became of a code that was typed for a challenge. */
export type CompletedSignIn =
  | { kind: "signed_in"; person: Person }
  /** `triesLeft` of the code that was texted for this challenge. */
  | { kind: "wrong_code"; triesLeft: number }
  | { kind: "wrong_long_code" }
  /** Too many tries, too late, passed already, or not this browser's challenge. A new code or a new start helps. */
  | { kind: "ended" }
  /** Too many short codes were tried for this phone; its long one passes the same challenge. */
  | { kind: "long_code_needed" }
  | TooManyAttempts;

/**
 * The second factor. Signs in, or creates the person who signed up; that moment is the person's last authentication.
 * A refused try counts, so what it changed commits.
 */
export async function completeSignIn(
  partner: Partner,
  { id, secret }: ChallengeKey,
  code: string,
  source: AttemptSource,
): Promise<CompletedSignIn> {
  const secretHash = sha256(secret);
  const open = await findOpenChallenge(partner.db, id, secretHash);
  if (!open) return { kind: "ended" };
  const completed = await (code.length === longCodeDigits
    ? completeWithLongCode(partner, open, code, source)
    : completeWithCode(partner, open, code));
  if (completed.kind === "signed_in") await forgetAttempts(partner, "sign_in_text", completed.person.phone);
  return completed;
}

async function completeWithCode(partner: Partner, open: Challenge, code: string): Promise<CompletedSignIn> {
  const { id, secretHash } = open;
  const subjects = { code: open.personId ?? open.phone };
  if (await admitAttempt(partner, subjects)) {
    if (!isDecoy(open)) await sendLongCode(partner, open.phone, { challengeId: id });
    return { kind: "long_code_needed" };
  }
  const completed = await partner.inTransaction(async (tx): Promise<CompletedSignIn> => {
    const challenge = await tryChallenge(tx, { id, secretHash, codeHash: codeHash(partner, id, code) });
    if (!challenge) return { kind: "ended" };
    if (!challenge.spentAt) {
      return { kind: "wrong_code", triesLeft: limits.verificationCodeTriesMax - challenge.tries };
    }
    return admitPerson(partner, tx, challenge);
  });
  if (completed.kind === "signed_in") await takeBackAttempt(partner, subjects);
  return completed;
}

async function completeWithLongCode(
  partner: Partner,
  open: Challenge,
  code: string,
  source: AttemptSource,
): Promise<CompletedSignIn> {
  const outcome = await tryLongCode(partner, open.phone, code, source);
  if (typeof outcome === "object") return outcome;
  if (outcome === "wrong" || isDecoy(open)) return { kind: "wrong_long_code" };
  return partner.inTransaction(async (tx): Promise<CompletedSignIn> => {
    const challenge = await spendChallenge(tx, open);
    return challenge ? admitPerson(partner, tx, challenge) : { kind: "ended" };
  });
}

async function admitPerson(partner: Partner, tx: Db, challenge: Challenge): Promise<CompletedSignIn> {
  const registration = await registrationOf(partner, challenge);
  const person = challenge.personId
    ? await markAuthenticated(tx, challenge.personId)
    : registration && (await insertPerson(tx, registration));
  // Two sign-ups with one address: the other one's code came back first.
  return person ? { kind: "signed_in", person } : { kind: "ended" };
}

/** What became of a phone's long code: the phone that it proves, or why it proves none. */
export type ProvenPhone = { kind: "proven"; phone: string } | { kind: "wrong_code" } | TooManyAttempts;

/**
 * Texts its long code to the phone of the account with this email address, before any password is looked at. Nothing tells
 * the caller whether there is such an account.
 */
export async function sendPhoneProof(partner: Partner, email: string, { id }: ChallengeKey): Promise<void> {
  const person = await findPersonWithPassword(partner.db, email);
  if (person) await sendLongCode(partner, person.phone, { challengeId: id });
}

/** Whether the code is the one sent to the account's phone. It makes a device known and signs nobody in. */
export async function provePhone(
  partner: Partner,
  email: string,
  code: string,
  source: AttemptSource,
): Promise<ProvenPhone> {
  const person = await findPersonWithPassword(partner.db, email);
  const outcome = await tryLongCode(partner, person?.phone ?? email, code, source);
  if (outcome === "right" && person) return { kind: "proven", phone: person.phone };
  return typeof outcome === "string" ? { kind: "wrong_code" } : outcome;
}

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

export type CompletedSignIn =
  | { kind: "signed_in"; person: Person }
  | { kind: "wrong_code"; triesLeft: number }
  | { kind: "wrong_long_code" }
  /** Too many tries, expired, already passed, or another browser's challenge. */
  | { kind: "ended" }
  /** Too many short codes were tried for this phone. */
  | { kind: "long_code_needed" }
  | TooManyAttempts;

/** The second factor: signs a person in, or creates the person who signed up. A wrong code counts as a try. */
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
  // Another sign-up with this address was faster.
  return person ? { kind: "signed_in", person } : { kind: "ended" };
}

export type ProvenPhone = { kind: "proven"; phone: string } | { kind: "wrong_code" } | TooManyAttempts;

/** Texts the long code to the account's phone, before any password check. Doesn't reveal whether there is an account. */
export async function sendPhoneProof(partner: Partner, email: string, { id }: ChallengeKey): Promise<void> {
  const person = await findPersonWithPassword(partner.db, email);
  if (person) await sendLongCode(partner, person.phone, { challengeId: id });
}

/** Checks the long code of the account's phone. It makes the device known, but doesn't sign in. */
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

import { limits } from "../../contract/limits.ts";
import { sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import type { Db } from "../storage/database.ts";
import { findPersonWithPassword, insertPerson, markAuthenticated, type Person } from "../storage/people.ts";
import { admitAttempt, forgetAttempts, refundAttempt, type TooManyAttempts } from "./attempt-limits.ts";
import {
  type ChallengeKey,
  type ChallengeStep,
  codeHash,
  hasAccount,
  recipientOf,
  registrationOf,
  sendLongCode,
  sendNewCode,
  shortCodeDigits,
  stepOf,
} from "./challenge.ts";
import type { AttemptSource } from "./known-devices.ts";
import { longCodeDigits, longCodeMessage, takeLongCode, tryLongCode } from "./long-code.ts";
import { addressOf, sendMessage } from "./messages.ts";
import { type Challenge, expireWaitingMessages, findOpenChallenge, passChallenge, tryChallenge } from "./storage.ts";

export type CompletedSignIn =
  | { kind: "signed_in"; person: Person }
  /** The sign-up continues with its phone, which was sent a code of this length. */
  | { kind: "email_proven"; codeDigits: number }
  /** The email address already has an account. */
  | { kind: "has_account" }
  | { kind: "wrong_code"; triesLeft: number }
  | { kind: "wrong_long_code" }
  /** Too many tries, expired, already completed, or another browser's challenge. */
  | { kind: "ended" }
  /** The code was for the other step: another tab was faster. */
  | { kind: "other_step" }
  /** Too many short codes were tried for this phone or email address. */
  | { kind: "long_code_needed" }
  | TooManyAttempts;

type CodeOutcome =
  | Exclude<CompletedSignIn, { kind: "email_proven" }>
  /** The phone's code isn't sent yet. */
  | { kind: "phone_is_next"; challenge: Challenge };

/**
 * Tries a code. A sign-up proves its email address and then its phone, which creates the person; a sign-in proves its
 * phone, the second factor. A wrong code counts as a try.
 * @param step the step that the form showed
 */
export async function completeSignIn(
  partner: Partner,
  { id, secret }: ChallengeKey,
  code: string,
  source: AttemptSource,
  step: ChallengeStep = "phone",
): Promise<CompletedSignIn> {
  const open = await findOpenChallenge(partner.db, id, sha256(secret));
  if (!open) return { kind: "ended" };
  if (stepOf(open) !== step) return { kind: "other_step" };
  const tried = await (code.length === longCodeDigits
    ? completeWithLongCode(partner, open, code, source)
    : completeWithCode(partner, open, code));
  if (tried.kind === "phone_is_next") return sendToPhone(partner, tried.challenge);
  if (tried.kind === "signed_in") await forgetAttempts(partner, "sign_in_text", tried.person.phone);
  return tried;
}

async function completeWithCode(partner: Partner, open: Challenge, code: string): Promise<CodeOutcome> {
  const subjects = { code: open.personId ?? addressOf(await recipientOf(partner, open)) };
  if (await admitAttempt(partner, subjects)) {
    await sendLongCode(partner, open);
    return { kind: "long_code_needed" };
  }
  const tried = await partner.inTransaction(async (tx): Promise<CodeOutcome> => {
    const challenge = await tryChallenge(tx, open, codeHash(partner, open, code));
    if (!challenge) return { kind: "ended" };
    const isWrong = !challenge.spentAt && stepOf(challenge) === stepOf(open);
    if (isWrong) return { kind: "wrong_code", triesLeft: limits.verificationCodeTriesMax - challenge.tries };
    return takeNextStep(partner, tx, challenge);
  });
  if (tried.kind !== "wrong_code" && tried.kind !== "ended") await refundAttempt(partner, subjects);
  return tried;
}

async function completeWithLongCode(
  partner: Partner,
  open: Challenge,
  code: string,
  source: AttemptSource,
): Promise<CodeOutcome> {
  const outcome = await tryLongCode(partner, await recipientOf(partner, open), code, source);
  if (typeof outcome === "object") return outcome;
  if (outcome === "wrong") return { kind: "wrong_long_code" };
  return partner.inTransaction(async (tx): Promise<CodeOutcome> => {
    const challenge = await passChallenge(tx, open);
    return challenge ? takeNextStep(partner, tx, challenge) : { kind: "ended" };
  });
}

async function takeNextStep(partner: Partner, tx: Db, challenge: Challenge): Promise<CodeOutcome> {
  await expireWaitingMessages(tx, challenge.id);
  if (!challenge.spentAt) return { kind: "phone_is_next", challenge };
  const person = challenge.personId
    ? await markAuthenticated(tx, challenge.personId)
    : await insertPerson(tx, await registrationOf(partner, challenge));
  // Another sign-up with this address was faster.
  return person ? { kind: "signed_in", person } : { kind: "has_account" };
}

// Only now, with the email address proven, may this browser learn whether it has an account.
async function sendToPhone(partner: Partner, challenge: Challenge): Promise<CompletedSignIn> {
  const { email } = await registrationOf(partner, challenge);
  if (await hasAccount(partner, { email })) return { kind: "has_account" };
  const sent = await sendNewCode(partner, challenge);
  return { kind: "email_proven", codeDigits: sent === "sent_long" ? longCodeDigits : shortCodeDigits };
}

export type ProvenPhone = { kind: "proven"; phone: string } | { kind: "wrong_code" } | TooManyAttempts;

/** Texts the long code to the account's phone before any password check. Doesn't reveal whether there is an account. */
export async function sendPhoneProof(partner: Partner, email: string, { id }: ChallengeKey): Promise<void> {
  const person = await findPersonWithPassword(partner.db, email);
  const code = person && (await takeLongCode(partner, { phone: person.phone }));
  if (!code) return;
  const message = { to: { phone: person.phone }, content: longCodeMessage(code), challengeId: id };
  await partner.inTransaction((tx) => sendMessage(partner, tx, message));
}

/** Checks the long code for the account's phone. Makes the device known, but doesn't sign in. */
export async function provePhone(
  partner: Partner,
  email: string,
  code: string,
  source: AttemptSource,
): Promise<ProvenPhone> {
  const person = await findPersonWithPassword(partner.db, email);
  const outcome = await tryLongCode(partner, person ? { phone: person.phone } : { email }, code, source);
  if (outcome === "right" && person) return { kind: "proven", phone: person.phone };
  return typeof outcome === "string" ? { kind: "wrong_code" } : outcome;
}

import { limits } from "../../contract/limits.ts";
import { sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import type { Db } from "../storage/database.ts";
import { insertPerson, markAuthenticated, type Person } from "../storage/people.ts";
import { type Challenge, findOpenChallenge, spendChallenge, tryChallenge } from "../storage/sign-in-challenges.ts";
import { admitAttempt, forgetAttempts, type TooMany, takeBackAttempt } from "./attempt-limits.ts";
import { type ChallengeKey, codeHash, isDecoy, registrationOf } from "./challenge.ts";
import type { Asker } from "./known-devices.ts";
import { longCodeDigits, sendLongCode, tryLongCode } from "./long-code.ts";

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
  | TooMany;

/**
 * The second factor. Signs in, or creates the person who signed up; that moment is the person's last authentication.
 * A refused try counts, so what it changed commits.
 */
export async function completeSignIn(
  partner: Partner,
  { id, secret }: ChallengeKey,
  code: string,
  asker: Asker,
): Promise<CompletedSignIn> {
  const secretHash = sha256(secret);
  const open = await findOpenChallenge(partner.db, id, secretHash);
  if (!open) return { kind: "ended" };
  const completed = await (code.length === longCodeDigits
    ? completeWithLongCode(partner, open, code, asker)
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
  asker: Asker,
): Promise<CompletedSignIn> {
  const outcome = await tryLongCode(partner, open.phone, code, asker);
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

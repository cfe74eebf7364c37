import { limits } from "../../contract/limits.ts";
import { sha256 } from "../../kit/secrets.ts";
import { type Db, inTransaction } from "../storage/database.ts";
import { insertPerson, markAuthenticated, type Person } from "../storage/people.ts";
import { type Challenge, findOpenChallenge, tryChallenge } from "../storage/sign-in-challenges.ts";
import { admitAttempt, forgetAttempts, type TooMany } from "./attempt-limits.ts";
import { type ChallengeKey, codeHash, registrationOf } from "./challenge.ts";

export type CompletedSignIn =
  | { kind: "signed_in"; person: Person }
  | { kind: "wrong_code"; triesLeft: number }
  /** Too many tries, too late, passed already, or not this browser's challenge. A new code or a new start helps. */
  | { kind: "ended" }
  | TooMany;

/**
 * The second factor. Signs in, or creates the person who signed up; that moment is the person's last authentication.
 * A refused try counts, so what it changed commits.
 */
export async function completeSignIn({ id, secret }: ChallengeKey, code: string): Promise<CompletedSignIn> {
  const secretHash = sha256(secret);
  const open = await findOpenChallenge(id, secretHash);
  if (!open) return { kind: "ended" };
  const subject = open.personId ?? open.phone;
  const tooMany = await admitAttempt({ code: subject });
  if (tooMany) return tooMany;

  const completed = await inTransaction(async (tx): Promise<CompletedSignIn> => {
    const challenge = await tryChallenge(tx, { id, secretHash, codeHash: codeHash(id, code) });
    if (!challenge) return { kind: "ended" };
    if (!challenge.spentAt) {
      return { kind: "wrong_code", triesLeft: limits.verificationCodeTriesMax - challenge.tries };
    }
    const person = await admitPerson(tx, challenge);
    // Two sign-ups with one address: the other one's code came back first.
    return person ? { kind: "signed_in", person } : { kind: "ended" };
  });
  if (completed.kind === "signed_in") {
    await forgetAttempts("code", subject);
    await forgetAttempts("sign_in_account", completed.person.email);
    await forgetAttempts("sign_in_text", completed.person.phone);
  }
  return completed;
}

async function admitPerson(tx: Db, challenge: Challenge): Promise<Person | undefined> {
  if (challenge.personId) return markAuthenticated(tx, challenge.personId);
  const registration = await registrationOf(challenge);
  return registration && insertPerson(tx, registration);
}

import { limits } from "../../contract/limits.ts";
import { keyedHash } from "../../kit/secrets.ts";
import { partnerConfig } from "../config.ts";
import { countAttempt, deleteAttempts } from "../storage/attempts.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

// Real time, counted in PostgreSQL, so that neither another process nor a moved clock gives more (Decision D17). One address
// may be a whole office, so it gets more than one account does.
const attemptLimits = {
  // One account from one address: a person who is unsure of a password, not a dictionary.
  sign_in: { max: 10, windowSeconds: 15 * minute },
  // One account from anywhere: high enough that a stranger cannot lock its owner out with a handful of tries.
  sign_in_account: { max: 200, windowSeconds: day },
  sign_in_address: { max: 300, windowSeconds: 15 * minute },
  // Texts cost money and patience. Apart from the texts of sign-ups, or a stranger could use up the owner's.
  sign_in_text: { max: 10, windowSeconds: hour },
  sign_up_phone: { max: 10, windowSeconds: hour },
  sign_up_address: { max: 300, windowSeconds: hour },
  // Codes typed for one account (or, before there is one, for one phone), as the service allows too (Decision D9).
  code: { max: limits.verificationPhoneTriesPerDayMax, windowSeconds: day },
  // "Somebody tried to sign up with your address" is worth knowing, and not worth a hundred texts.
  sign_up_notice: { max: 3, windowSeconds: day },
} as const;

export type AttemptKind = keyof typeof attemptLimits;
export type TooMany = { kind: "too_many_attempts"; retryAfterSeconds: number };

/** Counts an attempt for each of these subjects. Answers `too_many_attempts` when one of them has used up its number. */
export async function admitAttempt(subjects: Partial<Record<AttemptKind, string>>): Promise<TooMany | undefined> {
  const counted = await Promise.all(
    Object.entries(subjects).map(async ([name, subject]) => {
      const kind = name as AttemptKind;
      const { max, windowSeconds } = attemptLimits[kind];
      const { count, secondsLeft } = await countAttempt({ kind, subjectHash: subjectHash(subject), windowSeconds });
      return count > max ? secondsLeft : 0;
    }),
  );
  const retryAfterSeconds = Math.max(...counted);
  return retryAfterSeconds > 0 ? { kind: "too_many_attempts", retryAfterSeconds } : undefined;
}

/** Gives a subject that has proven itself its full number again. */
export async function forgetAttempts(kind: AttemptKind, subject: string): Promise<void> {
  await deleteAttempts(kind, subjectHash(subject));
}

function subjectHash(subject: string): Buffer {
  return keyedHash(partnerConfig().sessionSecret, `attempt:${subject}`);
}

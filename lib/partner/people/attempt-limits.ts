import { limits } from "../../contract/limits.ts";
import { keyedHash } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { countAttempt, deleteAttempts, uncountAttempt } from "./storage.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

// Real time, counted in PostgreSQL, so that neither another process nor a moved clock gives more (Decision D17). A limit that
// strangers can use up together never ends in a refusal: past it, the phone is asked first, by a longer code (long-code.ts).
const attemptLimits = {
  // Passwords of one account, from one address or one known device: a person who is unsure, not a dictionary.
  sign_in: { max: 10, windowSeconds: 15 * minute },
  // Passwords of one account from a known device, should its cookie be stolen.
  sign_in_device: { max: 100, windowSeconds: day },
  // Passwords of one account over all new devices. Past it none is looked at there before the phone was proven.
  sign_in_account: { max: 200, windowSeconds: day },
  // One address may be a whole office, so it gets more than one account does.
  sign_in_address: { max: 300, windowSeconds: 15 * minute },
  // Texts cost money and patience. Apart from the texts of sign-ups, or a stranger could use up the owner's.
  sign_in_text: { max: 10, windowSeconds: hour },
  sign_up_text: { max: 10, windowSeconds: hour },
  sign_up_text_day: { max: 30, windowSeconds: day },
  sign_up_address: { max: 300, windowSeconds: hour },
  // Codes typed for one account (or, before there is one, for one phone), as the service allows too (Decision D9).
  code: { max: limits.verificationPhoneTriesPerDayMax, windowSeconds: day },
  // Longer codes typed for one phone, from one address or one known device.
  long_code: { max: 10, windowSeconds: day },
  long_code_text: { max: 3, windowSeconds: day },
  // "Somebody tried to sign up with your address" is worth knowing, and not worth a hundred texts.
  sign_up_notice: { max: 3, windowSeconds: day },
} as const;

export type AttemptKind = keyof typeof attemptLimits;
/** The refusal of an attempt that is one too many, with the seconds until the next is admitted. */
export type TooManyAttempts = { kind: "too_many_attempts"; retryAfterSeconds: number };
type Subjects = Partial<Record<AttemptKind, string>>;

/** Counts an attempt for each of these subjects. Answers `too_many_attempts` when one of them has used up its number. */
export async function admitAttempt(partner: Partner, subjects: Subjects): Promise<TooManyAttempts | undefined> {
  const counted = await Promise.all(
    entriesOf(subjects).map(async ([kind, subject]) => {
      const { max, windowSeconds } = attemptLimits[kind];
      const { count, secondsLeft } = await countAttempt(partner.db, {
        kind,
        subjectHash: subjectHash(partner, subject),
        windowSeconds,
      });
      return count > max ? secondsLeft : 0;
    }),
  );
  const retryAfterSeconds = Math.max(...counted);
  return retryAfterSeconds > 0 ? { kind: "too_many_attempts", retryAfterSeconds } : undefined;
}

/**
 * Takes back an attempt that turned out right, so that only failures count. They are counted first and taken back later,
 * because of tries that arrive together none may be heard beyond the limit.
 */
export async function takeBackAttempt(partner: Partner, subjects: Subjects): Promise<void> {
  await Promise.all(
    entriesOf(subjects).map(([kind, subject]) => uncountAttempt(partner.db, kind, subjectHash(partner, subject))),
  );
}

/** Gives a subject that has proven itself its full number again. */
export async function forgetAttempts(partner: Partner, kind: AttemptKind, subject: string): Promise<void> {
  await deleteAttempts(partner.db, kind, subjectHash(partner, subject));
}

function entriesOf(subjects: Subjects): [AttemptKind, string][] {
  return Object.entries(subjects).map(([kind, subject]) => [kind as AttemptKind, subject]);
}

function subjectHash(partner: Partner, subject: string): Buffer {
  return keyedHash(partner.config.sessionSecret, `attempt:${subject}`);
}

/** What somebody reads who has tried too often. */
export function tooManyAttempts(field: string, { retryAfterSeconds }: TooManyAttempts): FormState {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait = minutes > 90 ? `${Math.ceil(minutes / 60)} hours` : minutes > 1 ? `${minutes} minutes` : "a minute";
  return {
    ...problemAt(field, `You've tried too many times. Please try again in ${wait}.`),
    title: "Please wait before you try again",
  };
}

import { words } from "#words";
import { limits } from "../../contract/limits.ts";
import { keyedHash } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { countAttempt, deleteAttempts, uncountAttempt } from "./storage.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

// Counted in PostgreSQL in real time (Decision D17). A limit that strangers can exhaust never locks the owner out:
// beyond it, the phone must be verified first, with a longer code (long-code.ts).
const attemptLimits = {
  // Passwords for one account, from one address or known device.
  sign_in: { max: 10, windowSeconds: 15 * minute },
  // The same for a known device, in case its cookie was stolen.
  sign_in_device: { max: 100, windowSeconds: day },
  // Passwords for one account from all unknown devices. Beyond this they must verify the phone first.
  sign_in_account: { max: 200, windowSeconds: day },
  // One address can be a whole office.
  sign_in_address: { max: 300, windowSeconds: 15 * minute },
  // Separate from sign-up texts, so that a stranger can't use up the owner's.
  sign_in_text: { max: 10, windowSeconds: hour },
  sign_up_text: { max: 10, windowSeconds: hour },
  sign_up_text_day: { max: 30, windowSeconds: day },
  // Emails to one address, whether or not it has an account.
  sign_up_email: { max: 5, windowSeconds: hour },
  sign_up_email_day: { max: 15, windowSeconds: day },
  sign_up_address: { max: 300, windowSeconds: hour },
  // Codes for one account, or for a phone or email address without one. The service has the same limit (Decision D9).
  code: { max: limits.verificationPhoneTriesPerDayMax, windowSeconds: day },
  // Longer codes for one phone or email address, from one client address or known device.
  long_code: { max: 10, windowSeconds: day },
  long_code_message: { max: 3, windowSeconds: day },
} as const;

export type AttemptKind = keyof typeof attemptLimits;
export type TooManyAttempts = { kind: "too_many_attempts"; retryAfterSeconds: number };
type Subjects = Partial<Record<AttemptKind, string>>;

/** Counts an attempt for each subject; `too_many_attempts` if one is over its limit. */
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

/** Uncounts a successful attempt: only failures count. Counting first keeps concurrent attempts within the limit. */
export async function refundAttempt(partner: Partner, subjects: Subjects): Promise<void> {
  await Promise.all(
    entriesOf(subjects).map(([kind, subject]) => uncountAttempt(partner.db, kind, subjectHash(partner, subject))),
  );
}

/** Resets a subject's attempts. */
export async function forgetAttempts(partner: Partner, kind: AttemptKind, subject: string): Promise<void> {
  await deleteAttempts(partner.db, kind, subjectHash(partner, subject));
}

function entriesOf(subjects: Subjects): [AttemptKind, string][] {
  return Object.entries(subjects).map(([kind, subject]) => [kind as AttemptKind, subject]);
}

function subjectHash(partner: Partner, subject: string): Buffer {
  return keyedHash(partner.config.sessionSecret, `attempt:${subject}`);
}

export function tooManyAttempts(field: string, { retryAfterSeconds }: TooManyAttempts): FormState {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const t = words("signIn.problems");
  const wait =
    minutes > 90
      ? t("waitHours", { count: String(Math.ceil(minutes / 60)) })
      : t("waitMinutes", { count: Math.max(1, minutes) });
  return problemAt(field, wait, { title: t("waitTitle") });
}

import { words } from "#words";
import { isSameSecret, keyedHash } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { admitAttempt, refundAttempt, type TooManyAttempts } from "./attempt-limits.ts";
import { type AttemptSource, sourceOf } from "./known-devices.ts";
import { addressOf, type MessageContent, type Recipient } from "./messages.ts";
import { readHarborSeconds } from "./storage.ts";

// Strangers can exhaust a phone's or an email address's short codes, messages and password attempts. The long code
// keeps the owner from being locked out: it stays the same for hours, so few messages are enough; it can't be guessed;
// and its tries are counted per client address.

export const longCodeDigits = 10;

const periodSeconds = 6 * 60 * 60;

/** The current long code, at most three times per recipient; undefined after that. */
export async function takeLongCode(partner: Partner, to: Recipient): Promise<string | undefined> {
  const period = await presentPeriod(partner);
  if (await admitAttempt(partner, { long_code_message: `${addressOf(to)} ${period}` })) return undefined;
  return longCodeOf(partner, addressOf(to), period);
}

export function longCodeMessage(code: string): MessageContent {
  const spaced = `${code.slice(0, 5)} ${code.slice(5)}`;
  const t = words("messages");
  return { subject: t("longCodeSubject"), endsInSeconds: periodSeconds, text: t("longCode", { code: spaced }) };
}

/** Checks a long code of the current or previous period. */
export async function tryLongCode(
  partner: Partner,
  to: Recipient,
  code: string,
  source: AttemptSource,
): Promise<"right" | "wrong" | TooManyAttempts> {
  const address = addressOf(to);
  const subjects = { long_code: `${address} ${sourceOf(partner, source, address)}` };
  const tooMany = await admitAttempt(partner, subjects);
  if (tooMany) return tooMany;
  const period = await presentPeriod(partner);
  const isRight = [period, period - 1].some((each) => isSameSecret(longCodeOf(partner, address, each), code));
  if (isRight) await refundAttempt(partner, subjects);
  return isRight ? "right" : "wrong";
}

async function presentPeriod(partner: Partner): Promise<number> {
  return Math.floor((await readHarborSeconds(partner.db)) / periodSeconds);
}

function longCodeOf(partner: Partner, address: string, period: number): string {
  const bits = keyedHash(partner.config.sessionSecret, `long_code:${address}:${period}`).readBigUInt64BE();
  return String(bits % 10n ** BigInt(longCodeDigits)).padStart(longCodeDigits, "0");
}

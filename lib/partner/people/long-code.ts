import { brandName } from "../../../brand/name.ts";
import { isSameSecret, keyedHash } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { admitAttempt, type TooManyAttempts, takeBackAttempt } from "./attempt-limits.ts";
import { type AttemptSource, sourceOf } from "./known-devices.ts";
import { readHarborSeconds } from "./storage.ts";
import { sendText, type TextReader } from "./texts.ts";

// Strangers can exhaust a phone's short codes, texts and password attempts. The long code keeps its owner from being locked
// out: it stays the same for hours, so it needs few texts; it can't be guessed; and its tries are counted per address.

export const longCodeDigits = 10;

const periodSeconds = 6 * 60 * 60;

/** Texts the current long code, at most three times; after that the phone already has it. */
export async function sendLongCode(partner: Partner, phone: string, reader: TextReader): Promise<void> {
  const period = await presentPeriod(partner);
  if (await admitAttempt(partner, { long_code_text: `${phone} ${period}` })) return;
  const code = longCodeOf(partner, phone, period);
  const spaced = `${code.slice(0, 5)} ${code.slice(5)}`;
  const text = `Your longer ${brandName} code is ${spaced}. It works for several hours. Someone is requesting many codes. If it isn't you, you don't need to do anything. ${brandName} will never call to ask for it.`;
  await partner.inTransaction((tx) => sendText(partner, tx, { phone, text, reader }));
}

/** Checks a long code of the current or previous period. */
export async function tryLongCode(
  partner: Partner,
  phone: string,
  code: string,
  source: AttemptSource,
): Promise<"right" | "wrong" | TooManyAttempts> {
  const subjects = { long_code: `${phone} ${sourceOf(partner, source, phone)}` };
  const tooMany = await admitAttempt(partner, subjects);
  if (tooMany) return tooMany;
  const period = await presentPeriod(partner);
  const isRight = [period, period - 1].some((each) => isSameSecret(longCodeOf(partner, phone, each), code));
  if (isRight) await takeBackAttempt(partner, subjects);
  return isRight ? "right" : "wrong";
}

async function presentPeriod(partner: Partner): Promise<number> {
  return Math.floor((await readHarborSeconds(partner.db)) / periodSeconds);
}

function longCodeOf(partner: Partner, phone: string, period: number): string {
  const bits = keyedHash(partner.config.sessionSecret, `long_code:${phone}:${period}`).readBigUInt64BE();
  return String(bits % 10n ** BigInt(longCodeDigits)).padStart(longCodeDigits, "0");
}

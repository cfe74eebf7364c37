import { randomInt, timingSafeEqual } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { newId } from "../../../kit/ids.ts";
import { encryptText, keyedHash } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { providers } from "../../providers.ts";
import type { Db, PhoneOfClient } from "../../storage/database.ts";
import {
  countFailedVerifications,
  countMessages,
  expireVerificationMessage,
  insertFailedVerification,
  insertMessage,
  lockPhone,
  messageContext,
} from "../../storage/phones.ts";
import {
  countVerificationTry,
  inVisitTransaction,
  lockVisitByKey,
  markVisitAuthenticated,
  replaceVerificationCode,
  type Visit,
  type VisitKey,
} from "../../storage/visits.ts";
import { convertUserIntent } from "../people/convert-user-intent.ts";
import { cancelVisitWithin } from "./finish-visit.ts";
import { watchVisit } from "./watch-visit.ts";

/** `cancelled`: the phone belongs to another person's user; redirect to `returnTo`. */
export type VerificationOutcome =
  | { kind: "verified" }
  | { kind: "wrong_code" }
  | { kind: "code_used_up" }
  | { kind: "code_expired" }
  | { kind: "phone_blocked" }
  | { kind: "cancelled"; returnTo: string }
  | { kind: "not_waiting" };

/**
 * Checks a verification code. The right one authenticates the person and converts their intent. Tries are serialized by
 * visit and phone, and a wrong code always counts.
 */
export async function verifyCode(key: VisitKey, verificationCode: string): Promise<VerificationOutcome> {
  let visit: Visit | undefined;
  const outcome = await inVisitTransaction(key, async (tx): Promise<VerificationOutcome> => {
    visit = await lockVisitByKey(tx, key);
    if (visit?.step !== "verification_code" || visit.isExpired) return { kind: "not_waiting" };
    await lockPhone(tx, visit);
    if (await isPhoneBlocked(tx, visit)) return { kind: "phone_blocked" };
    if (visit.verificationCodeTries >= limits.verificationCodeTriesMax) return { kind: "code_used_up" };
    if (visit.isVerificationCodeExpired || !visit.verificationCodeHash) return { kind: "code_expired" };

    // Pasted codes may contain spaces, dashes and letters.
    const digits = verificationCode.replaceAll(/\D/g, "");
    if (!timingSafeEqual(hashVerificationCode(visit.id, digits), visit.verificationCodeHash)) {
      await countVerificationTry(tx, visit.id);
      await insertFailedVerification(tx, visit);
      return { kind: "wrong_code" };
    }
    if (visit.userIntentId !== null) {
      const conversion = await convertUserIntent(tx, visit.userIntentId);
      if (conversion.kind === "phone_taken") {
        // The message must not reveal whose phone it is (Decision D6).
        const cancelled = await cancelVisitWithin(tx, key, "This person cannot be onboarded.");
        if (cancelled.kind !== "cancelled") return { kind: "not_waiting" };
        return { kind: "cancelled", returnTo: cancelled.returnTo };
      }
    }
    await markVisitAuthenticated(tx, visit);
    await expireVerificationMessage(tx, visit.id);
    return { kind: "verified" };
  });
  if (visit && outcome.kind !== "not_waiting") watchVisit(visit, stepOf(outcome));
  return outcome;
}

function stepOf(outcome: VerificationOutcome): Parameters<typeof watchVisit>[1] {
  switch (outcome.kind) {
    case "verified":
      return { step: "code_verified" };
    case "cancelled":
      return { step: "cancelled", returnTo: outcome.returnTo };
    default:
      return { step: "code_refused", cause: outcome.kind };
  }
}

/** `retryAfterSeconds` is by the client's clock. */
export type ResendOutcome =
  | { kind: "sent" }
  | { kind: "too_early"; retryAfterSeconds: number }
  | { kind: "phone_blocked" }
  | { kind: "texts_used_up" }
  | { kind: "not_waiting" };

/** Sends a new code, at most one per `limits.verificationCodeResendSeconds`, and voids the old one. */
export async function resendVerificationCode(key: VisitKey): Promise<ResendOutcome> {
  let visit: Visit | undefined;
  const outcome = await inVisitTransaction(key, async (tx): Promise<ResendOutcome> => {
    visit = await lockVisitByKey(tx, key);
    if (visit?.step !== "verification_code" || visit.isExpired) return { kind: "not_waiting" };
    if (visit.resendSeconds > 0) return { kind: "too_early", retryAfterSeconds: visit.resendSeconds };
    await lockPhone(tx, visit);
    if (await isPhoneBlocked(tx, visit)) return { kind: "phone_blocked" };
    if (await areTextsUsedUp(tx, visit)) return { kind: "texts_used_up" };
    await expireVerificationMessage(tx, visit.id);
    await sendVerificationCode(tx, visit);
    return { kind: "sent" };
  });
  if (visit && outcome.kind === "sent") watchVisit(visit, { step: "code_sent" });
  return outcome;
}

/** Replaces a visit's code and texts it to the phone on record, in one transaction. */
export async function sendVerificationCode(
  tx: Db,
  visit: { id: string; clientId: string; clientName: string; phone: string },
): Promise<void> {
  const verificationCode = String(randomInt(1_000_000)).padStart(6, "0");
  const messageId = newId();
  await replaceVerificationCode(tx, {
    id: visit.id,
    clientId: visit.clientId,
    verificationCodeHash: hashVerificationCode(visit.id, verificationCode),
    verificationMessageId: messageId,
  });
  // Only GSM-7 characters: any other, such as a curly apostrophe, doubles the price of a text.
  const text = `Plainbook: ${verificationCode} is your code to connect with ${visit.clientName}. It expires in ${
    limits.verificationCodeSeconds / 60
  } minutes. Don't share it with anyone.`;
  const textEncrypted = await encryptText(text, messageContext(messageId), serviceConfig().keyring);
  await insertMessage(tx, {
    id: messageId,
    clientId: visit.clientId,
    phone: visit.phone,
    textEncrypted,
    isForCarrier: !providers().showsTexts,
    endsInSeconds: limits.verificationCodeSeconds,
  });
}

/** Keyed and bound to its visit, because a plain hash of six digits is trivial to reverse. */
export function hashVerificationCode(visitId: string, verificationCode: string): Buffer {
  return keyedHash(serviceConfig().fingerprintKey, `verification_code:${visitId}:${verificationCode}`);
}

/** Whether this phone has used up its wrong tries for the day. Then even the right code is refused. Decision D9 */
export async function isPhoneBlocked(db: Db, phone: PhoneOfClient): Promise<boolean> {
  return (await countFailedVerifications(db, phone)) >= limits.verificationPhoneTriesPerDayMax;
}

/** Whether this phone has used up its texts for the hour (in real time), across all visits of a client. Decision D9 */
export async function areTextsUsedUp(db: Db, { clientId, phone }: PhoneOfClient): Promise<boolean> {
  const since = new Date(Date.now() - 60 * 60 * 1000);
  return (await countMessages(db, { clientId, phone, since })) >= limits.verificationPhoneTextsPerHourMax;
}

import { randomInt } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { encryptText } from "../../../kit/encryption.ts";
import { newId } from "../../../kit/ids.ts";
import { keyedHash } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { type Db, inTransaction } from "../../storage/database.ts";
import {
  countFailedVerifications,
  countMessages,
  insertMessage,
  lockPhone,
  messageContext,
} from "../../storage/phones.ts";
import { replaceVerificationCode, type Visit } from "../../storage/visits.ts";
import { findVisitByKey, type VisitKey } from "./visit-key.ts";
import { watchVisit } from "./watch-visit.ts";

/** What became of a request for a new code; `retryAfterSeconds` are whole seconds by the client's clock. */
export type ResendOutcome =
  | { kind: "sent" }
  | { kind: "too_early"; retryAfterSeconds: number }
  | { kind: "phone_blocked" }
  | { kind: "texts_used_up" }
  | { kind: "not_waiting" };

/** Sends a visit's person a new code, at most one in `limits.verificationCodeResendSeconds`; the old one is void. */
export async function resendVerificationCode(key: VisitKey): Promise<ResendOutcome> {
  let visit: Visit | undefined;
  const outcome = await inTransaction(async (tx): Promise<ResendOutcome> => {
    visit = await findVisitByKey(tx, key, { lock: true });
    if (visit?.step !== "verification_code" || visit.isExpired) return { kind: "not_waiting" };
    if (visit.resendSeconds > 0) return { kind: "too_early", retryAfterSeconds: visit.resendSeconds };
    await lockPhone(tx, visit);
    if (await isPhoneBlocked(tx, visit)) return { kind: "phone_blocked" };
    if (await areTextsUsedUp(tx, visit)) return { kind: "texts_used_up" };
    await sendVerificationCode(tx, visit);
    return { kind: "sent" };
  });
  if (visit && outcome.kind === "sent") watchVisit(visit, { step: "code_sent" });
  return outcome;
}

/** Gives a visit a new code and texts it to the phone on the record, both or neither. */
export async function sendVerificationCode(
  tx: Db,
  visit: { id: string; clientId: string; clientName: string; phone: string },
): Promise<void> {
  const verificationCode = String(randomInt(1_000_000)).padStart(6, "0");
  await replaceVerificationCode(tx, {
    id: visit.id,
    clientId: visit.clientId,
    verificationCodeHash: hashVerificationCode(visit.id, verificationCode),
  });
  const messageId = newId();
  const text = `Plainbook: ${verificationCode} is your code to connect with ${visit.clientName}. It is good for ${
    limits.verificationCodeSeconds / 60
  } minutes. Never tell it to anyone.`;
  const textEncrypted = await encryptText(text, messageContext(messageId), serviceConfig().keyring);
  await insertMessage(tx, { id: messageId, clientId: visit.clientId, phone: visit.phone, textEncrypted });
}

/** The hash of a code, bound to its visit and to a server key: a plain hash of six digits is guessed at once. */
export function hashVerificationCode(visitId: string, verificationCode: string): Buffer {
  return keyedHash(serviceConfig().fingerprintKey, `verification_code:${visitId}:${verificationCode}`);
}

/** Whether this phone has used up its wrong tries for a day; then not even the right code opens anything. Decision D9 */
export async function isPhoneBlocked(db: Db, phone: { clientId: string; phone: string }): Promise<boolean> {
  return (await countFailedVerifications(db, phone)) >= limits.verificationPhoneTriesPerDayMax;
}

/** Whether this phone has had its texts of the last hour, over all visits of one client. By real time. Decision D9 */
export async function areTextsUsedUp(db: Db, phone: { clientId: string; phone: string }): Promise<boolean> {
  const since = new Date(Date.now() - 60 * 60 * 1000);
  return (
    (await countMessages(db, { clientId: phone.clientId, phone: phone.phone, since })) >=
    limits.verificationPhoneTextsPerHourMax
  );
}

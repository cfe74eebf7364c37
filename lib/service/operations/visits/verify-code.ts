import { timingSafeEqual } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { inTransaction } from "../../storage/database.ts";
import { insertFailedVerification, lockPhone } from "../../storage/phones.ts";
import { countVerificationTry, markVisitAuthenticated, type Visit } from "../../storage/visits.ts";
import { convertUserIntent } from "../people/convert-user-intent.ts";
import { cancelVisitWithin } from "./cancel-visit.ts";
import { hashVerificationCode, isPhoneBlocked } from "./send-verification-code.ts";
import { findVisitByKey, type VisitKey } from "./visit-key.ts";
import { watchVisit } from "./watch-visit.ts";

/** What became of a try. `cancelled`: the phone is another person's user, so this one goes back to `returnTo`. */
export type VerificationOutcome =
  | { kind: "verified" }
  | { kind: "wrong_code" }
  | { kind: "code_used_up" }
  | { kind: "code_expired" }
  | { kind: "phone_blocked" }
  | { kind: "cancelled"; returnTo: string }
  | { kind: "not_waiting" };

/**
 * Tries a verification code; the right one authenticates the person, and an intent becomes its user. Tries of one visit and
 * of one phone happen one after another, and a refused try is counted whatever follows.
 */
export async function verifyCode(key: VisitKey, verificationCode: string): Promise<VerificationOutcome> {
  let visit: Visit | undefined;
  const outcome = await inTransaction(async (tx): Promise<VerificationOutcome> => {
    visit = await findVisitByKey(tx, key, { lock: true });
    if (visit?.step !== "verification_code" || visit.isExpired) return { kind: "not_waiting" };
    await lockPhone(tx, visit);
    if (await isPhoneBlocked(tx, visit)) return { kind: "phone_blocked" };
    if (visit.verificationCodeTries >= limits.verificationCodeTriesMax) return { kind: "code_used_up" };
    if (visit.isVerificationCodeExpired || !visit.verificationCodeHash) return { kind: "code_expired" };

    // People copy codes with spaces, dashes and letters around them.
    const digits = verificationCode.replaceAll(/\D/g, "");
    if (!timingSafeEqual(hashVerificationCode(visit.id, digits), visit.verificationCodeHash)) {
      await countVerificationTry(tx, visit.id);
      await insertFailedVerification(tx, visit);
      return { kind: "wrong_code" };
    }
    if (visit.userIntentId !== null) {
      const conversion = await convertUserIntent(tx, visit.userIntentId);
      if (conversion.kind === "phone_taken") {
        // Whose phone it is must not be told (Decision D6).
        const cancelled = await cancelVisitWithin(tx, key, "This person cannot be onboarded.");
        if (cancelled.kind !== "cancelled") return { kind: "not_waiting" };
        return { kind: "cancelled", returnTo: cancelled.returnTo };
      }
    }
    await markVisitAuthenticated(tx, visit);
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

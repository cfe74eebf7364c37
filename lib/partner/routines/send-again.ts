import { brandName } from "../../../brand/name.ts";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { hasSecondRecord } from "../storage/routine-looks.ts";
import { beginSendingAgain, keepUnanswered, takeBackSendingAgain } from "../storage/routine-sends.ts";
import { findRoutine, type RoutineRow } from "../storage/routines.ts";
import { compareInTime } from "./hold-until-compared.ts";
import { problemOfRefusal } from "./problem-of-refusal.ts";
import { refreshRoutine } from "./refresh-routine.ts";
import { secondsUntilFirstLook } from "./resolve-routines.ts";
import { sendRoutine } from "./send-routine.ts";

// A record that is not found for a moment only would be paid twice where keys are not honoured.
const missingMs = 5 * 60_000;

/** `sent`: it left, or somebody else had it sent, or the service has it after all; its page tells. */
export type SentAgain = { kind: "sent" } | { kind: "problem"; form: FormState };

/**
 * Sends a payment again that the service no longer has, under its own key: pressed twice, or by two people at once, it
 * leaves once. The service is asked again first, for its records and for its list.
 */
export async function sendAgain(partner: Partner, routineId: string): Promise<SentAgain> {
  const routine = await findRoutine(partner.db, routineId);
  if (routine?.state !== "missing") return { kind: "sent" };
  const form = await problemOfSendingAgain(partner, routine);
  if (form) return { kind: "problem", form };
  return partner.withPaymentLock(routine.idempotencyKey, () => sendMissing(partner, routineId));
}

async function problemOfSendingAgain(partner: Partner, { id, createdBy, missingRealAt, traceId }: RoutineRow) {
  const { serviceName } = partner.config;
  if (createdBy === null) {
    return problemAt("form", `${brandName} did not send this payment, so it can't send it again. Start a new payment.`);
  }
  if (await hasSecondRecord(partner.db)) {
    return problemAt("form", "A payment may have been paid twice. Deal with that one first.");
  }
  if (missingRealAt === null || Date.now() - missingRealAt.getTime() < missingMs) {
    return problemAt("form", "This was noticed less than five minutes ago. Please try again in a few minutes.");
  }
  const isRead = (await refreshRoutine(partner, id, { traceId })) === "applied";
  const compared = isRead ? await compareInTime(partner) : undefined;
  if (compared?.kind === "reauthorization_required") return problemOfRefusal(compared);
  if (compared?.kind === "compared") return undefined;
  return problemAt(
    "form",
    `${brandName} couldn't finish checking with ${serviceName}. Nothing was sent. Please try again in a minute.`,
  );
}

async function sendMissing(partner: Partner, routineId: string): Promise<SentAgain> {
  const routine = await findRoutine(partner.db, routineId);
  if (routine?.state !== "missing" || !(await beginSendingAgain(partner.db, routine))) return { kind: "sent" };
  const { traceId, serviceRoutineId, transferId } = routine;
  log().warn({ traceId, routineId, serviceRoutineId, transferId }, "sending a payment again that the service has lost");
  const sent = await sendRoutine(partner, routine);
  if (sent.kind === "sent") return { kind: "sent" };
  if (sent.kind === "unanswered") {
    await keepUnanswered(partner.db, routineId, secondsUntilFirstLook);
    return { kind: "sent" };
  }
  await takeBackSendingAgain(partner.db, routine);
  return { kind: "problem", form: problemOfRefusal(sent) };
}

import {
  type Answer,
  decisionOf,
  isConclusive,
  type ReauthorizationRequired,
  type Refused,
  type Routine,
} from "#client";
import { amountFromCents } from "../../contract/money.ts";
import type { Partner } from "../partner.ts";
import { hasSecondRecord } from "../storage/routine-resolution.ts";
import { stopSending } from "../storage/routine-sends.ts";
import type { RoutineRow } from "../storage/routines.ts";
import { applyReport, reportOf } from "./apply-report.ts";

/**
 * The result of one request. `unanswered`: it may have created a payment. `not_sent`: without a token or a connection it
 * never left. That and a refusal mean that this request created nothing; they say nothing about earlier ones.
 */
export type SentRoutine =
  | { kind: "sent" }
  | { kind: "unanswered" }
  | { kind: "not_sent" }
  | Refused
  | ReauthorizationRequired;

/**
 * Sends a routine whose send was already recorded, and applies the answer. Never sends again after a success, even one
 * that can't be read.
 */
export async function sendRoutine(partner: Partner, routine: RoutineRow): Promise<SentRoutine> {
  const { id: routineId, idempotencyKey, traceId, name, amountCents, sourceId, destinationId } = routine;
  const request = {
    name,
    amount: amountFromCents(amountCents),
    source_id: sourceId,
    destination_id: destinationId,
  };
  const booking: { answer?: Answer<Routine> } = {};
  const answer = await partner.tokens.call(partner.config.businessUserId, async (accessToken) => {
    booking.answer = await partner.client.createBookRoutine(accessToken, request, { idempotencyKey, traceId });
    return booking.answer;
  });
  if (answer.kind === "reauthorization_required") return answer;
  // Another answer is the token endpoint's: any booking before it was refused.
  if (answer !== booking.answer) return { kind: "not_sent" };
  switch (answer.kind) {
    case "unreachable":
      return { kind: decisionOf(answer) === "temporary" ? "not_sent" : "unanswered" };
    case "refused":
      return isConclusive(answer) ? answer : { kind: "unanswered" };
    case "ok":
      await applyReport(partner, routineId, reportOf(answer.body));
      return { kind: "sent" };
  }
  const { id, transfer_id } = answer.ids;
  if (id === undefined && transfer_id === undefined) {
    await stopSending(partner.db, routineId, "answer_not_understood");
    return { kind: "unanswered" };
  }
  const unknown = { kind: "unknown" } as const;
  const ids = { serviceRoutineId: id, transferId: transfer_id };
  await applyReport(partner, routineId, { ...ids, routine: unknown, transfer: unknown });
  return { kind: "sent" };
}

/**
 * Voids a routine's idempotency key, so that no request under it can create anything. `found`: one already did, and its
 * record is applied. `not_offered`: the service has no such call.
 */
export async function voidKey(
  partner: Partner,
  routine: RoutineRow,
): Promise<"voided" | "found" | "not_offered" | "unknown"> {
  const { id, idempotencyKey, traceId } = routine;
  const answer = await partner.tokens.call(partner.config.businessUserId, (accessToken) =>
    partner.client.voidBookRoutine(accessToken, { idempotencyKey, traceId }),
  );
  if (answer.kind === "ok") {
    if (answer.body.voided) return "voided";
    await applyReport(partner, id, reportOf(answer.body.routine));
    return "found";
  }
  if (answer.kind === "reauthorization_required" || answer.kind === "unreachable") return "unknown";
  const isKnownCall = answer.kind === "refused" && answer.status !== 501 && decisionOf(answer) !== "definite";
  return isKnownCall ? "unknown" : "not_offered";
}

/** When an unanswered routine is first checked. */
export const firstCheckSeconds = 25;
/** How long after the last request an operator can first resolve it. */
export const quietSeconds = 300;

/** Whether Harbor may resend on its own: the setting says it is safe, and it has never paid twice. */
export async function isReplayTrusted(partner: Partner): Promise<boolean> {
  return partner.config.isReplayKnown && !(await hasSecondRecord(partner.db));
}

/** Whether Harbor won't resend an unanswered routine, so that only the service or an operator can resolve it. */
export async function isHeld(
  partner: Partner,
  { state, failureReason }: Pick<RoutineRow, "state" | "failureReason">,
): Promise<boolean> {
  return state === "unanswered" && (failureReason !== null || !(await isReplayTrusted(partner)));
}

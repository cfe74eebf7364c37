import { decisionOf, isAnswer, type ReauthorizationRequired, type Refused, type Routine } from "#client";
import { amountFromCents } from "../../contract/money.ts";
import type { Partner } from "../partner.ts";
import { hasSecondRecord } from "../storage/routine-resolution.ts";
import { stopSending } from "../storage/routine-sends.ts";
import type { RoutineRow } from "../storage/routines.ts";
import { applyReport } from "./apply-report.ts";

/**
 * What became of one request. `unanswered`: it may or may not have created something. Refused, or without a token: this
 * one created nothing, which says nothing of any request before it.
 */
export type SentRoutine = { kind: "sent" } | { kind: "unanswered" } | Refused | ReauthorizationRequired;

/**
 * Sends a stored routine to the service and keeps the answer. That it leaves must have been noted before. A success is
 * never sent again, whatever it looks like: its ids are kept, and without any the routine waits for news of it.
 */
export async function sendRoutine(partner: Partner, routine: RoutineRow): Promise<SentRoutine> {
  const { id: routineId, idempotencyKey, traceId, name, amountCents, sourceId, destinationId } = routine;
  const request = {
    name,
    amount: amountFromCents(amountCents),
    source_id: sourceId,
    destination_id: destinationId,
  };
  const answer = await partner.tokens.call(partner.config.businessUserId, (accessToken) =>
    partner.client.createBookRoutine(accessToken, request, { idempotencyKey, traceId }),
  );
  if (answer.kind === "reauthorization_required") return answer;
  if (answer.kind === "unreachable") return { kind: "unanswered" };
  if (answer.kind === "refused") return isAnswer(answer) ? answer : { kind: "unanswered" };

  if (answer.kind === "ok") {
    await applyRecord(partner, routineId, answer.body);
    return { kind: "sent" };
  }
  const { id, transfer_id } = answer.ids;
  if (id === undefined && transfer_id === undefined) {
    await stopSending(partner.db, routineId, "answer_not_understood");
    return { kind: "unanswered" };
  }
  await applyReport(partner, routineId, {
    serviceRoutineId: id,
    transferId: transfer_id,
    routine: unknown,
    transfer: unknown,
  });
  return { kind: "sent" };
}

/**
 * Has the service void the key of a routine, so that no request under it can create anything any more, wherever it is.
 * `voided`: nothing was created, and nothing will be. `found`: something was, and is kept. `not_offered`: the service answers
 * as one that knows no such call. `unknown`: asked again it may tell.
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
    await applyRecord(partner, id, answer.body.routine);
    return "found";
  }
  if (answer.kind === "reauthorization_required" || answer.kind === "unreachable") return "unknown";
  const isKnownCall = answer.kind === "refused" && answer.status !== 501 && decisionOf(answer) !== "definite";
  return isKnownCall ? "unknown" : "not_offered";
}

const unknown = { kind: "unknown" } as const;

async function applyRecord(
  partner: Partner,
  routineId: string,
  { id, transfer_id, status, created_at }: Routine,
): Promise<void> {
  const routine = status === undefined ? unknown : { kind: "status" as const, status, since: created_at };
  await applyReport(partner, routineId, { serviceRoutineId: id, transferId: transfer_id, routine, transfer: unknown });
}

/** How long after the last request a person may first be asked what became of it; it proves nothing. */
export const quietSeconds = 300;

/** Whether a request may be sent again by itself: it is said to be safe, and was not seen to pay twice. */
export async function isReplayTrusted(partner: Partner): Promise<boolean> {
  return partner.config.isReplayKnown && !(await hasSecondRecord(partner.db));
}

/** Whether only news of the service, or a person, can tell what became of a routine: it is not known, and not sent again. */
export async function isHeld(
  partner: Partner,
  { state, failureReason }: Pick<RoutineRow, "state" | "failureReason">,
): Promise<boolean> {
  return state === "unanswered" && (failureReason !== null || !(await isReplayTrusted(partner)));
}

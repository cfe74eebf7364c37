import type { TraceId } from "../../kit/trace.ts";
import { partnerConfig } from "../config.ts";
import { readRoutine } from "../service-client/routines.ts";
import { readTransfer } from "../service-client/transfers.ts";
import { database, inTransaction } from "../storage/database.ts";
import { findRoutine, findRoutineByServiceId, hasUnansweredRoutine, moveRoutine } from "../storage/routines.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";
import { giveRecordToRoutine } from "./find-unanswered-routine.ts";

type Applied = "applied" | "not_ours" | "not_yet_known" | "try_later";
type ServiceId = { serviceRoutineId: string } | { transferId: string };

/**
 * Brings the routine that an event is about in step with the service; the event named it, or its transfer. An event about
 * a routine that is not known may bring the answer that was lost, so it waits as long as any is unanswered.
 */
export async function applyRoutineUpdate(id: ServiceId, options: { traceId: TraceId }): Promise<Applied> {
  const routine = await findRoutineByServiceId(database(), id);
  if (routine) return refreshRoutine(routine.id, options);
  if (!(await hasUnansweredRoutine(database()))) return "not_ours";
  const record = await readRoutineOf(id, options);
  if (record.kind === "refused" && record.status === 404) return "not_ours";
  if (record.kind === "unreachable" || record.kind === "refused") return "try_later";
  const routineId = record.kind === "ok" ? await giveRecordToRoutine(record.body) : undefined;
  return routineId ? refreshRoutine(routineId, options) : "not_yet_known";
}

async function readRoutineOf(id: ServiceId, options: { traceId: TraceId }) {
  const { businessUserId } = partnerConfig();
  if ("serviceRoutineId" in id) {
    return withAccessToken(businessUserId, (accessToken) => readRoutine(accessToken, id.serviceRoutineId, options));
  }
  const transfer = await withAccessToken(businessUserId, (accessToken) =>
    readTransfer(accessToken, id.transferId, options),
  );
  if (transfer.kind !== "ok") return transfer;
  const { routine_id } = transfer.body;
  return withAccessToken(businessUserId, (accessToken) => readRoutine(accessToken, routine_id, options));
}

/** Fetches a routine and its transfer, and notes in the timeline what is new. */
export async function refreshRoutine(routineId: string, { traceId }: { traceId: TraceId }): Promise<Applied> {
  const routine = await findRoutine(database(), routineId);
  if (!routine?.serviceRoutineId || !routine.transferId) return "not_ours";
  const { serviceRoutineId, transferId } = routine;
  const { businessUserId } = partnerConfig();
  const [routineAnswer, transferAnswer] = await Promise.all([
    withAccessToken(businessUserId, (accessToken) => readRoutine(accessToken, serviceRoutineId, { traceId })),
    withAccessToken(businessUserId, (accessToken) => readTransfer(accessToken, transferId, { traceId })),
  ]);
  if (routineAnswer.kind !== "ok" || transferAnswer.kind !== "ok") return "try_later";
  const { status, updated_at } = routineAnswer.body;
  const transfer = transferAnswer.body;
  await inTransaction((tx) =>
    moveRoutine(tx, routineId, {
      status,
      statusSince: new Date(updated_at),
      transferStatus: transfer.status,
      transferStatusSince: new Date(transfer.updated_at),
      failureReason: transfer.failure_reason,
    }),
  );
  return "applied";
}

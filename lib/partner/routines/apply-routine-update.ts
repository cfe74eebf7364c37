import type { TraceId } from "../../kit/trace.ts";
import { partnerConfig } from "../config.ts";
import { readRoutine } from "../service-client/routines.ts";
import { readTransfer } from "../service-client/transfers.ts";
import { database, inTransaction } from "../storage/database.ts";
import { findRoutine, findRoutineByServiceId, moveRoutine } from "../storage/routines.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

type Applied = "applied" | "not_ours" | "try_later";

/** Brings the routine that an event is about in step with the service; the event named it, or its transfer. */
export async function applyRoutineUpdate(
  id: { serviceRoutineId: string } | { transferId: string },
  options: { traceId: TraceId },
): Promise<Applied> {
  const routine = await findRoutineByServiceId(database(), id);
  return routine ? refreshRoutine(routine.id, options) : "not_ours";
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

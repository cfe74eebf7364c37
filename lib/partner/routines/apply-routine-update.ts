import type { TraceId } from "../../kit/trace.ts";
import { partnerConfig } from "../config.ts";
import { service } from "../service.ts";
import { database } from "../storage/database.ts";
import { askForComparison } from "../storage/routine-comparison.ts";
import { hasRoutineUnderWayTo, hasUnansweredRoutine } from "../storage/routine-looks.ts";
import { findRoutineByServiceId } from "../storage/routines.ts";
import { tokens } from "../tokens/token-store.ts";
import { type Refreshed, refreshRoutine } from "./refresh-routine.ts";
import { takeUpRecord } from "./take-up-record.ts";

type Applied = Refreshed | "not_yet_known";
type ServiceId = { serviceRoutineId: string } | { transferId: string };

/**
 * Brings the routine that an event is about in step with the service; the event named it, or its transfer. The record of a
 * routine that is not known may bring an answer that was lost, so it waits as long as that is possible; otherwise it is
 * taken up, and the next payment waits for a comparison, because there may be more.
 */
export async function applyRoutineUpdate(id: ServiceId, options: { traceId: TraceId }): Promise<Applied> {
  const routine = await findRoutineByServiceId(database(), id);
  if (routine) return refreshRoutine(routine.id, options);
  const record = await readRoutineOf(id, options);
  if (record.kind === "refused" && record.status === 404) return "not_ours";
  if (record.kind === "not_told" || record.kind === "reauthorization_required") return notFound();
  if (record.kind !== "ok") return "try_later";
  // Its own answer comes in a moment.
  if (await hasRoutineUnderWayTo(database(), record.body.destination_id)) return "not_yet_known";
  const taken = await takeUpRecord(record.body);
  if (!("routineId" in taken)) return notFound();
  if (taken.kind === "found") await askForComparison(database());
  return refreshRoutine(taken.routineId, options);
}

async function notFound(): Promise<Applied> {
  return (await hasUnansweredRoutine(database())) ? "not_yet_known" : "not_ours";
}

/** The routine record by its own id or by that of its transfer. `not_told`: the transfer does not say whose it is. */
export async function readRoutineOf(id: ServiceId, options: { traceId: TraceId }) {
  const { businessUserId } = partnerConfig();
  if ("serviceRoutineId" in id) {
    return tokens().call(businessUserId, (accessToken) =>
      service().readRoutine(accessToken, id.serviceRoutineId, options),
    );
  }
  const transfer = await tokens().call(businessUserId, (accessToken) =>
    service().readTransfer(accessToken, id.transferId, options),
  );
  if (transfer.kind !== "ok") return transfer;
  const { routine_id } = transfer.body;
  if (routine_id === undefined) return { kind: "not_told" as const };
  return tokens().call(businessUserId, (accessToken) => service().readRoutine(accessToken, routine_id, options));
}

import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { askForComparison } from "../storage/routine-comparison.ts";
import { hasRoutineUnderWayTo, hasUnansweredRoutine } from "../storage/routine-looks.ts";
import { findRoutineByServiceId } from "../storage/routines.ts";
import { type Refreshed, refreshRoutine } from "./refresh-routine.ts";
import { takeUpRecord } from "./take-up-record.ts";

type Applied = Refreshed | "not_yet_known";
type ServiceId = { serviceRoutineId: string } | { transferId: string };

/**
 * Brings the routine that an event is about in step with the service; the event named it, or its transfer. The record of a
 * routine that is not known may bring an answer that was lost, so it waits as long as that is possible; otherwise it is
 * taken up, and the next payment waits for a comparison, because there may be more.
 */
export async function applyRoutineUpdate(
  partner: Partner,
  id: ServiceId,
  options: { traceId: TraceId },
): Promise<Applied> {
  const routine = await findRoutineByServiceId(partner.db, id);
  if (routine) return refreshRoutine(partner, routine.id, options);
  const record = await readRoutineOf(partner, id, options);
  if (record.kind === "refused" && record.status === 404) return "not_ours";
  if (record.kind === "not_told" || record.kind === "reauthorization_required") return notFound(partner);
  if (record.kind !== "ok") return "try_later";
  // Its own answer comes in a moment.
  if (await hasRoutineUnderWayTo(partner.db, record.body.destination_id)) return "not_yet_known";
  const taken = await takeUpRecord(partner, record.body);
  if (!("routineId" in taken)) return notFound(partner);
  if (taken.kind === "found") await askForComparison(partner.db);
  return refreshRoutine(partner, taken.routineId, options);
}

async function notFound(partner: Partner): Promise<Applied> {
  return (await hasUnansweredRoutine(partner.db)) ? "not_yet_known" : "not_ours";
}

/** The routine record by its own id or by that of its transfer. `not_told`: the transfer does not say whose it is. */
export async function readRoutineOf(partner: Partner, id: ServiceId, options: { traceId: TraceId }) {
  const { businessUserId } = partner.config;
  if ("serviceRoutineId" in id) {
    return partner.tokens.call(businessUserId, (accessToken) =>
      partner.client.readRoutine(accessToken, id.serviceRoutineId, options),
    );
  }
  const transfer = await partner.tokens.call(businessUserId, (accessToken) =>
    partner.client.readTransfer(accessToken, id.transferId, options),
  );
  if (transfer.kind !== "ok") return transfer;
  const { routine_id } = transfer.body;
  if (routine_id === undefined) return { kind: "not_told" as const };
  return partner.tokens.call(businessUserId, (accessToken) =>
    partner.client.readRoutine(accessToken, routine_id, options),
  );
}

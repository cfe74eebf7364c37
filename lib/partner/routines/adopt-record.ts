import { centsOf, type Routine } from "#client";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { insertFoundRoutine } from "../storage/routine-comparison.ts";
import { flagSecondRecord, listReplayedLike, listUnansweredLike } from "../storage/routine-resolution.ts";
import type { PaymentDetails } from "../storage/routine-sends.ts";
import { findRoutineByServiceId, type RoutineRow } from "../storage/routines.ts";
import { applyReport, logSecondRecord } from "./apply-report.ts";

/** Which payment a record belongs to. `waits`: possibly to one whose answer is not known yet. `unreadable`: it tells no amount. */
export type AdoptedRecord = { kind: "known" | "found"; routineId: string } | { kind: "waits" | "unreadable" };

/**
 * Finds the payment of Harbor's that a record of the service is, and where there is none, keeps it as one that Harbor has no
 * record of sending: a restore to an earlier moment forgets payments.
 */
export async function adoptRecord(partner: Partner, record: Routine): Promise<AdoptedRecord> {
  const routineId = await assignRecord(partner, record);
  if (routineId) return { kind: "known", routineId };
  const amountCents = centsOf(record.amount);
  if (await mayBelongToUnanswered(partner, record, amountCents)) return { kind: "waits" };
  if (amountCents === undefined || amountCents <= 0) {
    log().warn({ serviceRoutineId: record.id }, "the service has a payment that is unknown here and tells no amount");
    return { kind: "unreadable" };
  }
  const { id, transfer_id, name, source_id, destination_id, status, created_at } = record;
  const foundId = await insertFoundRoutine(partner.db, {
    serviceRoutineId: id,
    transferId: transfer_id,
    name: name || "Unnamed payment",
    amountCents,
    sourceId: source_id ?? "",
    destinationId: destination_id ?? "",
    createdAt: created_at === undefined ? undefined : new Date(created_at),
  });
  if (!foundId) return { kind: "waits" };
  log().warn({ routineId: foundId, serviceRoutineId: id }, "took up a payment that was unknown here");
  if (status !== undefined) {
    const routine = { kind: "status" as const, status, since: created_at };
    await applyReport(partner, foundId, { routine, transfer: { kind: "unknown" } });
  }
  return { kind: "found", routineId: foundId };
}

/** Whether a payment whose answer is not known yet may be this record: then only that answer can tell. */
async function mayBelongToUnanswered(
  partner: Partner,
  record: Routine,
  amountCents: number | undefined,
): Promise<boolean> {
  const { name, source_id: sourceId, destination_id: destinationId } = record;
  if (amountCents === undefined || !name || !sourceId || !destinationId) return false;
  const alike = await listUnansweredLike(partner.db, { name, amountCents, sourceId, destinationId });
  return alike.some((routine) => routine.state !== "refused" && (!record.created_at || isRecordOf(routine, record)));
}

// The clocks of two machines differ by less, so that a record this much older than our first request is not its result.
const clockSlackMs = 3_600_000;

/** The earliest time that a record of this routine can bear. A sandbox's clock only ever runs ahead of real time. */
export function earliestCreation({ firstSentRealAt, createdAt }: RoutineRow): Date {
  return new Date((firstSentRealAt ?? createdAt).getTime() - clockSlackMs);
}

/** Whether this record of the service is what became of an unanswered routine, as far as their contents can tell. */
export function isRecordOf(routine: RoutineRow, record: Routine): boolean {
  return (
    record.name === routine.name &&
    centsOf(record.amount) === routine.amountCents &&
    record.source_id === routine.sourceId &&
    record.destination_id === routine.destinationId &&
    record.created_at !== undefined &&
    new Date(record.created_at) >= earliestCreation(routine)
  );
}

/**
 * Gives a record of the service to the routine that waits for it, and answers with that routine's id. Undefined when none
 * waits for it, or several do: then only their keys can tell which is whose. A record of a routine that was sent again and
 * has its record is noted as its second.
 */
export async function assignRecord(partner: Partner, record: Routine): Promise<string | undefined> {
  const known = await findRoutineByServiceId(partner.db, { serviceRoutineId: record.id });
  if (known) return known.id;
  const details = detailsOf(record);
  if (!details) return undefined;
  const alike = await listUnansweredLike(partner.db, details);
  if (alike.length === 0) return flagSecond(partner, record, details);
  const routine = pickWaiting(record, alike);
  if (!routine) return undefined;
  const { id, transfer_id, status, created_at } = record;
  const kept = await applyReport(partner, routine.id, {
    serviceRoutineId: id,
    transferId: transfer_id,
    routine: status === undefined ? { kind: "unknown" } : { kind: "status", status, since: created_at },
    transfer: { kind: "unknown" },
  });
  if (kept !== "kept" && kept !== "ended") return undefined;
  log().info({ traceId: routine.traceId, routineId: routine.id }, "found an unanswered routine at the service");
  return routine.id;
}

/** What a record says that it paid; undefined without one of the four, when nobody can say which payment it is. */
function detailsOf(record: Routine): PaymentDetails | undefined {
  const amountCents = centsOf(record.amount);
  const { name, source_id: sourceId, destination_id: destinationId } = record;
  if (amountCents === undefined || !name || !sourceId || !destinationId) return undefined;
  return { name, amountCents, sourceId, destinationId };
}

function pickWaiting(record: Routine, alike: RoutineRow[]): RoutineRow | undefined {
  const open = alike.filter(({ state }) => state !== "refused");
  const [routine, another] = open.length > 0 ? open : alike;
  // One that is just being sent gets its answer by itself.
  if (!routine || another || routine.state === "submitting") return undefined;
  return isRecordOf(routine, record) ? routine : undefined;
}

async function flagSecond(partner: Partner, record: Routine, details: PaymentDetails): Promise<string | undefined> {
  for (const routine of await listReplayedLike(partner.db, details)) {
    if (!isRecordOf(routine, record) || !(await flagSecondRecord(partner.db, routine.id, record.id))) continue;
    logSecondRecord(routine, record.id);
    return routine.id;
  }
  return undefined;
}

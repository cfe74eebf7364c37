import { centsOf, type Routine } from "#client";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { insertFoundRoutine, readComparison } from "../storage/routine-comparison.ts";
import {
  flagSecondRecord,
  listMatchingReplayed,
  listMatchingUnanswered,
  listPossiblyUnanswered,
} from "../storage/routine-resolution.ts";
import type { PaymentDetails } from "../storage/routine-sends.ts";
import { findRoutine, findRoutineOfRecord, type RoutineRow } from "../storage/routines.ts";
import { applyReport, logSecondRecord, reportOf } from "./apply-report.ts";

/** A record's payment. `waits`: it may belong to an unanswered payment. `unreadable`: it has no amount. */
export type AdoptedRecord =
  | { kind: "known" | "found"; routineId: string }
  | { kind: "waits" | "unreadable"; mayBeOf: string[] };

/** Finds a record's payment, or adopts the record as a new one: a restored database has lost payments. */
export async function adoptRecord(partner: Partner, record: Routine): Promise<AdoptedRecord> {
  const routineId = await assignRecord(partner, record);
  if (routineId) return { kind: "known", routineId };
  const amountCents = centsOf(record.amount);
  const mayBeOf = await listPossibleOwners(partner, record);
  if (amountCents === undefined || amountCents <= 0) {
    log().warn({ serviceRoutineId: record.id }, "the service has an unknown payment without an amount");
    return { kind: "unreadable", mayBeOf };
  }
  if (mayBeOf.length > 0) return { kind: "waits", mayBeOf };
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
  if (!foundId) return { kind: "waits", mayBeOf };
  log().warn({ routineId: foundId, serviceRoutineId: id }, "adopted a payment from the service");
  if (status !== undefined) await applyReport(partner, foundId, reportOf(record));
  return { kind: "found", routineId: foundId };
}

/** The unanswered payments that nothing in the record contradicts; it may lack any detail. */
async function listPossibleOwners(partner: Partner, record: Routine): Promise<string[]> {
  const { name, source_id, destination_id, created_at } = record;
  const details = { name, amountCents: centsOf(record.amount), sourceId: source_id, destinationId: destination_id };
  const possible = await listPossiblyUnanswered(partner.db, details);
  return possible
    .filter((routine) => !created_at || new Date(created_at) >= earliestCreation(routine))
    .map(({ id }) => id);
}

// More than two machines' clocks can differ.
const clockSlackMs = 3_600_000;

/** The earliest possible creation time of this routine's record. */
export function earliestCreation({ firstSentRealAt, createdAt }: RoutineRow): Date {
  return new Date((firstSentRealAt ?? createdAt).getTime() - clockSlackMs);
}

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
 * Assigns a record to the one unanswered routine that it matches, and returns that routine's id. If several match, only
 * their idempotency keys can tell. A match that was resent and already has a record was paid twice.
 */
export async function assignRecord(partner: Partner, record: Routine): Promise<string | undefined> {
  const known = await findRoutineOfRecord(partner.db, record);
  if (known) return known.id;
  const details = detailsOf(record);
  if (!details) return undefined;
  const matching = await listMatchingUnanswered(partner.db, details);
  const isEnded = ({ state }: RoutineRow) => state === "refused";
  // While a comparison is due, it's more likely a payment that Harbor lost.
  const isDue = matching.some(isEnded) && (await readComparison(partner.db)).isDue;
  const alike = matching.filter((routine) => !isEnded(routine) || !(isDue || isLate(routine, record)));
  if (alike.length === 0) return flagSecond(partner, record, details);
  const routine = pickWaiting(record, alike);
  if (!routine) return undefined;
  const kept = await applyReport(partner, routine.id, reportOf(record));
  if (kept !== "kept" && kept !== "ended") return undefined;
  log().info({ traceId: routine.traceId, routineId: routine.id }, "found an unanswered payment at the service");
  return routine.id;
}

const lateMs = 24 * 3_600_000;

/** Whether a record was created too late for this routine's last request. */
function isLate({ firstSentRealAt, lastSentRealAt, createdAt }: RoutineRow, { created_at }: Routine): boolean {
  if (created_at === undefined || firstSentRealAt === null || lastSentRealAt === null) return false;
  // A sandbox moves both sides' clocks ahead of real time.
  const aheadMs = Math.max(0, createdAt.getTime() - firstSentRealAt.getTime());
  return new Date(created_at).getTime() - aheadMs > lastSentRealAt.getTime() + lateMs;
}

function detailsOf(record: Routine): PaymentDetails | undefined {
  const amountCents = centsOf(record.amount);
  const { name, source_id: sourceId, destination_id: destinationId } = record;
  if (amountCents === undefined || !name || !sourceId || !destinationId) return undefined;
  return { name, amountCents, sourceId, destinationId };
}

function pickWaiting(record: Routine, alike: RoutineRow[]): RoutineRow | undefined {
  const open = alike.filter(({ state }) => state !== "refused");
  const [routine, another] = open.length > 0 ? open : alike;
  // A routine that is being sent gets its own answer.
  if (!routine || another || routine.state === "submitting") return undefined;
  return isRecordOf(routine, record) ? routine : undefined;
}

async function flagSecond(partner: Partner, record: Routine, details: PaymentDetails): Promise<string | undefined> {
  for (const routine of await listMatchingReplayed(partner.db, details)) {
    if (!isRecordOf(routine, record) || isLate(routine, record)) continue;
    const isNew = await flagSecondRecord(partner.db, routine.id, record.id, record.transfer_id);
    if (isNew) logSecondRecord(routine, record.id);
    // An earlier event about it, or one at the same time, may have flagged it.
    if (isNew || (await findRoutine(partner.db, routine.id))?.secondServiceRoutineId === record.id) return routine.id;
  }
  return undefined;
}

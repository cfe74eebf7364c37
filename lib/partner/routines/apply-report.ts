import type { Routine } from "#client";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { laterStatus, type Meaning, meaningOf } from "../statuses.ts";
import { realNow } from "../storage/database.ts";
import { flagSecondRecord } from "../storage/routine-resolution.ts";
import { inSeconds } from "../storage/routine-sends.ts";
import {
  changeRoutine,
  deleteFoundRoutine,
  insertRoutineEvents,
  lockRoutine,
  type RoutineEvent,
  type RoutineRow,
} from "../storage/routines.ts";
import type { RoutineState } from "../storage/schema.ts";

/**
 * What one record of the service says. `silent`: it has no status, or can't be read. `gone`: it doesn't exist.
 * `unknown`: it wasn't read.
 */
export type StatusReading =
  | { kind: "status"; status: string; since?: string | undefined }
  | { kind: "silent" }
  | { kind: "gone" }
  | { kind: "unknown" };

type RoutineChange = Omit<Parameters<typeof changeRoutine>[2], "state"> & { state?: RoutineState };

/** What the service's two records of a payment say, with their ids if known. */
export type RoutineReport = {
  serviceRoutineId?: string | undefined;
  transferId?: string | undefined;
  routine: StatusReading;
  transfer: StatusReading;
  failureReason?: string | undefined;
  /** The operator who matched this record to the payment. */
  resolvedBy?: string;
};

/** What a routine's record says without its transfer. */
export function reportOf({ id, transfer_id, status, created_at }: Routine): RoutineReport {
  return {
    serviceRoutineId: id,
    transferId: transfer_id,
    routine: status === undefined ? { kind: "unknown" } : { kind: "status", status, since: created_at },
    transfer: { kind: "unknown" },
  };
}

const secondsUntilRead = 60;
// A service can take a moment to find what it has just created.
const secondsUntilFound = 60;

/**
 * Applies a report to a payment; any report settles whether it was made. `ended`: this report ended it.
 * `second_record`: the report has a different id, so the payment was made twice, and nothing else is applied.
 */
export async function applyReport(
  partner: Partner,
  routineId: string,
  report: RoutineReport,
): Promise<"kept" | "ended" | "second_record" | "gone"> {
  return partner.inTransaction(async (tx) => {
    const row = await lockRoutine(tx, routineId);
    if (!row) return "gone";
    // A payment that was resent has different ids by now.
    if (isGone(report) && !hasIdsOf(row, report)) return "kept";
    const { serviceRoutineId } = report;
    if (serviceRoutineId && row.serviceRoutineId && serviceRoutineId !== row.serviceRoutineId) {
      if (await flagSecondRecord(tx, row.id, serviceRoutineId)) logSecondRecord(row, serviceRoutineId);
      return "second_record";
    }
    if (!row.serviceRoutineId && !row.transferId) await deleteFoundRoutine(tx, report);
    const change = changeOf(partner, row, report);
    await changeRoutine(tx, routineId, change);
    await insertRoutineEvents(tx, routineId, eventsOf(report));
    return isEnd(change.state) && !isEnd(row.state) ? "ended" : "kept";
  });
}

/** Logs that resending a payment paid it twice. */
export function logSecondRecord({ id, traceId, serviceRoutineId }: RoutineRow, secondId: string): void {
  log().error(
    { traceId, routineId: id, serviceRoutineId, secondId },
    "the service recorded a resent payment twice; resending is off from now on",
  );
}

function changeOf(partner: Partner, row: RoutineRow, report: RoutineReport): RoutineChange {
  const isLost = row.state === "missing" ? !isFound(report) : isGone(report) && !isJustSent(row);
  if (isLost) return changeWhenGone(row);
  const hadId = row.serviceRoutineId !== null || row.transferId !== null;
  const status = statusOf(partner, row.status, report.routine);
  const transferStatus = statusOf(partner, row.transferStatus, report.transfer);
  const routine = readingMeaning(partner, status, report.routine);
  const transfer = readingMeaning(partner, transferStatus, report.transfer);
  // The transfer moves the money, so its status wins.
  const reported = transfer ?? routine ?? "open";
  const known = endOf(partner, row);
  const isNews = !hadId || status !== row.status || transferStatus !== row.transferStatus;
  const isTransferSilent = reported === "open" && report.transfer.kind !== "status";
  const isStillOver =
    known !== undefined && (isTransferSilent || (isConfirmed(row) && !(isNews && contradicts(known, reported))));
  const state = isStillOver ? known : stateAfter(known, reported);
  const isRoutineOver = routine !== "open" || report.routine.kind === "silent" || report.routine.kind === "gone";
  const isOver = isStillOver || (state !== "open" && isRoutineOver);
  const nextCheck = isNews || row.nextTryAt === null ? inSeconds(secondsUntilRead) : row.nextTryAt;
  return {
    serviceRoutineId: row.serviceRoutineId ?? report.serviceRoutineId ?? null,
    transferId: row.transferId ?? report.transferId ?? null,
    state,
    missingRealAt: null,
    status,
    transferStatus,
    // Until the first id, it said why the payment waited.
    failureReason: report.failureReason ?? (hadId ? row.failureReason : null),
    ...(report.resolvedBy && { resolvedBy: report.resolvedBy }),
    unansweredSends: 0,
    ...(isNews && { tries: 0 }),
    nextTryAt: isOver ? null : nextCheck,
  };
}

function isGone({ routine, transfer }: RoutineReport): boolean {
  return routine.kind === "gone" && transfer.kind === "gone";
}

/** Whether the service has at least one of the records: no answer doesn't bring a missing payment back. */
function isFound({ routine, transfer }: RoutineReport): boolean {
  return [routine, transfer].some(({ kind }) => kind === "status" || kind === "silent");
}

function hasIdsOf(row: RoutineRow, { serviceRoutineId, transferId }: RoutineReport): boolean {
  return row.serviceRoutineId === (serviceRoutineId ?? null) && row.transferId === (transferId ?? null);
}

function isJustSent({ lastSentRealAt }: RoutineRow): boolean {
  return lastSentRealAt !== null && Date.now() - lastSentRealAt.getTime() < secondsUntilFound * 1000;
}

function changeWhenGone(row: RoutineRow): RoutineChange {
  const { state, nextTryAt } = row;
  if (state === "missing" || state === "conflicting" || isConfirmed(row)) return { nextTryAt };
  return {
    state: "missing",
    missingRealAt: realNow,
    unansweredSends: 0,
    tries: 0,
    nextTryAt: inSeconds(secondsUntilRead),
  };
}

type End = Exclude<Meaning, "open"> | "conflicting";

/** With two different ends, an operator has to decide; the timeline shows both. */
function stateAfter(known: End | undefined, reported: Meaning): End | "open" {
  if (known === undefined || known === reported) return reported;
  return known === "conflicting" || reported !== "open" ? "conflicting" : reported;
}

function isConfirmed({ endConfirmedAt, state }: RoutineRow): boolean {
  return endConfirmedAt !== null && state !== "conflicting";
}

function contradicts(known: End, reported: Meaning): boolean {
  return reported !== "open" && (reported === "succeeded") !== (known === "succeeded");
}

function isEnd(state: RoutineState | undefined): state is End {
  return state === "succeeded" || state === "cancelled" || state === "failed" || state === "conflicting";
}

/** The end that a payment had reached, including before it went missing. */
function endOf(partner: Partner, { state, status, transferStatus }: RoutineRow): End | undefined {
  const before = state === "missing" ? meaningOf(partner, transferStatus ?? status ?? "") : state;
  return isEnd(before) ? before : undefined;
}

function statusOf(partner: Partner, known: string | null, reading: StatusReading): string | null {
  return reading.kind === "status" ? laterStatus(partner, known, reading.status) : known;
}

function readingMeaning(partner: Partner, status: string | null, reading: StatusReading): Meaning | undefined {
  if (status !== null) return meaningOf(partner, status);
  return reading.kind === "silent" || reading.kind === "gone" ? undefined : "open";
}

function eventsOf({ routine, transfer }: RoutineReport): RoutineEvent[] {
  return [["routine", routine] as const, ["transfer", transfer] as const].flatMap(([resource, reading]) =>
    reading.kind === "status"
      ? [{ resource, status: reading.status, occurredAt: new Date(reading.since ?? Date.now()) }]
      : [],
  );
}

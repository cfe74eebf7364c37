import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { realNow } from "../storage/database.ts";
import { noteSecondRecord } from "../storage/routine-looks.ts";
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
import { laterStatus, type Meaning, meaningOf } from "./status-meaning.ts";

/**
 * What one record said. `silent`: it tells no status, or there is no way to read it. `gone`: the service has no such record.
 * `unknown`: it was not read.
 */
export type Told =
  | { kind: "told"; status: string; since?: string | undefined }
  | { kind: "silent" }
  | { kind: "gone" }
  | { kind: "unknown" };

type ChangedRoutine = Omit<Parameters<typeof changeRoutine>[2], "state"> & { state?: RoutineState };

/** What was heard about a payment: its ids as far as they came, and what its two records said. */
export type Heard = {
  serviceRoutineId?: string | undefined;
  transferId?: string | undefined;
  routine: Told;
  transfer: Told;
  failureReason?: string | undefined;
  /** Who said that this record is the payment. */
  resolvedBy?: string;
};

/** How long after something new Harbor reads a payment again by itself, should nobody tell it more. */
const secondsUntilRead = 60;
// A service may need a moment until it finds what it has just created.
const secondsUntilFound = 60;

/**
 * Keeps what the service said about a payment; that ends every doubt whether it was made. `ended`: by this. `second_record`: what was heard
 * bears another id than the payment has, so it was made twice; nothing else is kept then.
 */
export async function keepRoutine(
  partner: Partner,
  routineId: string,
  heard: Heard,
): Promise<"kept" | "ended" | "second_record" | "gone"> {
  return partner.inTransaction(async (tx) => {
    const row = await lockRoutine(tx, routineId);
    if (!row) return "gone";
    // It may have been sent again meanwhile, and has other ids by then.
    if (isGone(heard) && !isAboutIdsOf(row, heard)) return "kept";
    const { serviceRoutineId } = heard;
    if (serviceRoutineId && row.serviceRoutineId && serviceRoutineId !== row.serviceRoutineId) {
      if (await noteSecondRecord(tx, row.id, serviceRoutineId)) logSecondRecord(row, serviceRoutineId);
      return "second_record";
    }
    if (!row.serviceRoutineId && !row.transferId) await deleteFoundRoutine(tx, heard);
    const merged = merge(partner, row, heard);
    await changeRoutine(tx, routineId, merged);
    await insertRoutineEvents(tx, routineId, eventsOf(heard));
    return isEnd(merged.state) && !isEnd(row.state) ? "ended" : "kept";
  });
}

/** Says what no operator should have to find out by himself: sending again paid again. */
export function logSecondRecord({ id, traceId, serviceRoutineId }: RoutineRow, secondId: string): void {
  log().error(
    { traceId, routineId: id, serviceRoutineId, secondId },
    "the service made a second record of a payment that was sent again; no payment is sent again from now on",
  );
}

function merge(partner: Partner, row: RoutineRow, heard: Heard): ChangedRoutine {
  if (isGone(heard) && (row.state === "missing" || !isJustSent(row))) return mergeGone(row);
  const wasKnown = row.serviceRoutineId !== null || row.transferId !== null;
  const status = statusOf(partner, row.status, heard.routine);
  const transferStatus = statusOf(partner, row.transferStatus, heard.transfer);
  const [routine, transfer] = [
    meaning(partner, status, heard.routine),
    meaning(partner, transferStatus, heard.transfer),
  ];
  // The transfer is the money. Where it tells nothing, the routine must do.
  const reported = transfer ?? routine ?? "open";
  const known = endOf(partner, row);
  const isNews = !wasKnown || status !== row.status || transferStatus !== row.transferStatus;
  const isUntold = reported === "open" && heard.transfer.kind !== "told";
  const isStillOver =
    known !== undefined && (isUntold || (isConfirmed(row) && !(isNews && contradicts(known, reported))));
  const state = isStillOver ? known : stateAfter(known, reported);
  // One that cannot be read says nothing more.
  const isRoutineOver = routine !== "open" || heard.routine.kind === "silent" || heard.routine.kind === "gone";
  const isOver = isStillOver || (state !== "open" && isRoutineOver);
  const nextLook = isNews || row.nextTryAt === null ? inSeconds(secondsUntilRead) : row.nextTryAt;
  return {
    serviceRoutineId: row.serviceRoutineId ?? heard.serviceRoutineId ?? null,
    transferId: row.transferId ?? heard.transferId ?? null,
    state,
    missingRealAt: null,
    status,
    transferStatus,
    // Until it was known it said why Harbor waits.
    failureReason: heard.failureReason ?? (wasKnown ? row.failureReason : null),
    ...(heard.resolvedBy && { resolvedBy: heard.resolvedBy }),
    unansweredSends: 0,
    ...(isNews && { tries: 0 }),
    nextTryAt: isOver ? null : nextLook,
  };
}

function isGone({ routine, transfer }: Heard): boolean {
  return routine.kind === "gone" && transfer.kind === "gone";
}

function isAboutIdsOf(row: RoutineRow, { serviceRoutineId, transferId }: Heard): boolean {
  return row.serviceRoutineId === (serviceRoutineId ?? null) && row.transferId === (transferId ?? null);
}

function isJustSent({ lastSentRealAt }: RoutineRow): boolean {
  return lastSentRealAt !== null && Date.now() - lastSentRealAt.getTime() < secondsUntilFound * 1000;
}

function mergeGone(row: RoutineRow): ChangedRoutine {
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

/** Two different ends are both kept in the timeline, and which of them holds only a person can find out. */
function stateAfter(known: End | undefined, reported: Meaning): End | "open" {
  if (known === undefined || known === reported) return reported;
  return known === "conflicting" || reported !== "open" ? "conflicting" : reported;
}

/** Whether a person confirmed this end: then only a new report of the other one puts it in doubt. */
function isConfirmed({ endConfirmedAt, state }: RoutineRow): boolean {
  return endConfirmedAt !== null && state !== "conflicting";
}

function contradicts(known: End, reported: Meaning): boolean {
  return reported !== "open" && (reported === "succeeded") !== (known === "succeeded");
}

function isEnd(state: RoutineState | undefined): state is End {
  return state === "succeeded" || state === "cancelled" || state === "failed" || state === "conflicting";
}

/** The end that a payment had reached; one that is missing may have reached it before. */
function endOf(partner: Partner, { state, status, transferStatus }: RoutineRow): End | undefined {
  const before = state === "missing" ? meaningOf(partner, transferStatus ?? status ?? "") : state;
  return isEnd(before) ? before : undefined;
}

function statusOf(partner: Partner, known: string | null, told: Told): string | null {
  return told.kind === "told" ? laterStatus(partner, known, told.status) : known;
}

function meaning(partner: Partner, status: string | null, told: Told): Meaning | undefined {
  if (status !== null) return meaningOf(partner, status);
  return told.kind === "silent" || told.kind === "gone" ? undefined : "open";
}

function eventsOf({ routine, transfer }: Heard): RoutineEvent[] {
  return [["routine", routine] as const, ["transfer", transfer] as const].flatMap(([resource, told]) =>
    told.kind === "told" ? [{ resource, status: told.status, occurredAt: new Date(told.since ?? Date.now()) }] : [],
  );
}

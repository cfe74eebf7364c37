import { log } from "../../kit/log.ts";
import { inTransaction } from "../storage/database.ts";
import { noteSecondRecord } from "../storage/routine-looks.ts";
import { inSeconds } from "../storage/routine-sends.ts";
import {
  changeRoutine,
  insertRoutineEvents,
  lockRoutine,
  type RoutineEvent,
  type RoutineRow,
} from "../storage/routines.ts";
import { laterStatus, type Meaning, meaningOf } from "./status-meaning.ts";

/** What one record said. `silent`: it tells no status, or there is no such record to read. `unknown`: it was not read. */
export type Told =
  | { kind: "told"; status: string; since?: string | undefined }
  | { kind: "silent" }
  | { kind: "unknown" };

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

/**
 * Keeps what the service said about a payment; that ends every doubt whether it was made. `ended`: by this. `second_record`: what was heard
 * bears another id than the payment has, so it was made twice; nothing else is kept then.
 */
export async function keepRoutine(
  routineId: string,
  heard: Heard,
): Promise<"kept" | "ended" | "second_record" | "gone"> {
  return inTransaction(async (tx) => {
    const row = await lockRoutine(tx, routineId);
    if (!row) return "gone";
    const { serviceRoutineId } = heard;
    if (serviceRoutineId && row.serviceRoutineId && serviceRoutineId !== row.serviceRoutineId) {
      if (await noteSecondRecord(tx, row.id, serviceRoutineId)) logSecondRecord(row, serviceRoutineId);
      return "second_record";
    }
    const merged = merge(row, heard);
    await changeRoutine(tx, routineId, merged);
    await insertRoutineEvents(tx, routineId, eventsOf(heard));
    return merged.state !== "open" && !hasEnded(row) ? "ended" : "kept";
  });
}

/** Says what no operator should have to find out by himself: sending again paid again. */
export function logSecondRecord({ id, traceId, serviceRoutineId }: RoutineRow, secondId: string): void {
  log().error(
    { traceId, routineId: id, serviceRoutineId, secondId },
    "the service made a second record of a payment that was sent again; no payment is sent again from now on",
  );
}

function merge(row: RoutineRow, heard: Heard) {
  const wasKnown = row.serviceRoutineId !== null || row.transferId !== null;
  const status = statusOf(row.status, heard.routine);
  const transferStatus = statusOf(row.transferStatus, heard.transfer);
  const [routine, transfer] = [meaning(status, heard.routine), meaning(transferStatus, heard.transfer)];
  // The transfer is the money. Where it tells nothing, the routine must do.
  const state = transfer ?? routine ?? "open";
  const isStillOver = state === "open" && heard.transfer.kind !== "told" && hasEnded(row);
  // One that cannot be read says nothing more.
  const isRoutineOver = routine !== "open" || heard.routine.kind === "silent";
  const isOver = isStillOver || (state !== "open" && isRoutineOver);
  const isNews = !wasKnown || status !== row.status || transferStatus !== row.transferStatus;
  const nextLook = isNews || row.nextTryAt === null ? inSeconds(secondsUntilRead) : row.nextTryAt;
  return {
    serviceRoutineId: row.serviceRoutineId ?? heard.serviceRoutineId ?? null,
    transferId: row.transferId ?? heard.transferId ?? null,
    state: isStillOver ? row.state : state,
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

function hasEnded({ state }: RoutineRow): boolean {
  return state === "succeeded" || state === "cancelled" || state === "failed";
}

function statusOf(known: string | null, told: Told): string | null {
  return told.kind === "told" ? laterStatus(known, told.status) : known;
}

function meaning(status: string | null, told: Told): Meaning | undefined {
  if (status !== null) return meaningOf(status);
  return told.kind === "silent" ? undefined : "open";
}

function eventsOf({ routine, transfer }: Heard): RoutineEvent[] {
  return [["routine", routine] as const, ["transfer", transfer] as const].flatMap(([resource, told]) =>
    told.kind === "told" ? [{ resource, status: told.status, occurredAt: new Date(told.since ?? Date.now()) }] : [],
  );
}

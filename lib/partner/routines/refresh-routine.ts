import type { Answer, ReauthorizationRequired } from "#client";
import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { claimWatchedRoutine } from "../storage/routine-looks.ts";
import { findRoutine } from "../storage/routines.ts";
import { keepBalances } from "./keep-balances.ts";
import { keepRoutine, type Told } from "./keep-routine.ts";
import { isRoutineId } from "./routine-id.ts";

/** `try_later`: one of the two records could not be read, and may be read another time. */
export type Refreshed = "applied" | "not_ours" | "try_later";

type Reading<Body> = Answer<Body> | ReauthorizationRequired | undefined;

/** Fetches a routine and its transfer, as far as their ids are known, and keeps what they say. */
export async function refreshRoutine(
  partner: Partner,
  routineId: string,
  { traceId }: { traceId: TraceId },
): Promise<Refreshed> {
  const row = await findRoutine(partner.db, routineId);
  if (!row) return "not_ours";
  const { serviceRoutineId, transferId } = row;
  if (serviceRoutineId === null && transferId === null) return "not_ours";
  const [routine, transfer] = await Promise.all([
    serviceRoutineId === null ? undefined : read(partner, partner.client.readRoutine, serviceRoutineId, traceId),
    transferId === null ? undefined : read(partner, partner.client.readTransfer, transferId, traceId),
  ]);
  const ids = {
    serviceRoutineId: serviceRoutineId ?? bodyOf(transfer)?.routine_id,
    transferId: transferId ?? bodyOf(routine)?.transfer_id,
  };
  const told = {
    routine: toldBy(routine ?? idFrom(transfer)),
    transfer: toldBy(transfer ?? idFrom(routine)),
  };
  const kept = await keepRoutine(partner, routineId, {
    ...ids,
    ...told,
    failureReason: bodyOf(transfer)?.failure_reason,
  });
  if (kept === "ended") await keepBalances(partner, row, "after");
  const hasNewId = [serviceRoutineId, transferId].filter(isKnown).length < Object.values(ids).filter(isKnown).length;
  // Its record is read too.
  if (hasNewId) return refreshRoutine(partner, routineId, { traceId });
  return Object.values(told).some(({ kind }) => kind === "unknown") ? "try_later" : "applied";
}

/** What the record that should have told the other's id says of the other: nothing, when it could be read. */
function idFrom(reading: Reading<unknown>): Reading<{ status?: string }> {
  return reading?.kind === "ok" ? { ...reading, body: {} } : reading;
}

function isKnown(id: string | null | undefined): boolean {
  return id !== null && id !== undefined;
}

function read<Body>(
  partner: Partner,
  call: (accessToken: string, id: string, options: { traceId: TraceId }) => Promise<Answer<Body>>,
  id: string,
  traceId: TraceId,
) {
  return partner.tokens.call(partner.config.businessUserId, (accessToken) => call(accessToken, id, { traceId }));
}

function bodyOf<Body>(reading: Reading<Body>): Body | undefined {
  return reading?.kind === "ok" ? reading.body : undefined;
}

// There is no such record, or no way to read it: that is an answer, unlike a 5xx or an end of our authorization.
const notThere = [404, 410];
const notReadable = [405, 501];

function toldBy(reading: Reading<{ status?: string | undefined; updated_at?: string | undefined }>): Told {
  if (reading?.kind === "ok") {
    const { status, updated_at } = reading.body;
    return status === undefined ? { kind: "silent" } : { kind: "told", status, since: updated_at };
  }
  if (reading?.kind === "unreadable") return { kind: "silent" };
  if (reading?.kind !== "refused") return { kind: "unknown" };
  if (notThere.includes(reading.status)) return { kind: "gone" };
  return { kind: notReadable.includes(reading.status) ? "silent" : "unknown" };
}

const secondsBetweenReads = 5;
// Of one that has ended: a service that was restored may no longer have it.
const secondsOnceOver = 60;
const waitMs = 2000;

/**
 * Reads a payment again because somebody looks at it: at most every 5 s, or every minute once it has ended, however many look.
 * Resolves when it was read, after 2 s at the latest.
 */
export async function watchRoutine(partner: Partner, id: string): Promise<void> {
  if (
    !isRoutineId(id) ||
    !(await claimWatchedRoutine(partner.db, id, { seconds: secondsBetweenReads, secondsOnceOver }))
  )
    return;
  const routine = await findRoutine(partner.db, id);
  if (!routine) return;
  const { traceId } = routine;
  const reading = refreshRoutine(partner, id, { traceId }).catch((error) =>
    log().error({ error, traceId, routineId: id }, "reading a watched routine failed"),
  );
  await waitAtMost(waitMs, reading);
}

import type { Answer, ReauthorizationRequired } from "#client";
import { isId } from "../../kit/ids.ts";
import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { requestComparison } from "../storage/routine-comparison.ts";
import { claimWatchedRoutine, hasRoutineUnderWayTo, hasUnansweredRoutine } from "../storage/routine-resolution.ts";
import { findRoutine, findRoutineByServiceId } from "../storage/routines.ts";
import { adoptRecord } from "./adopt-record.ts";
import { applyReport, type StatusReading } from "./apply-report.ts";
import { recordBalances } from "./record-balances.ts";

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
    routine: readingOf(routine ?? idFrom(transfer)),
    transfer: readingOf(transfer ?? idFrom(routine)),
  };
  const kept = await applyReport(partner, routineId, {
    ...ids,
    ...told,
    failureReason: bodyOf(transfer)?.failure_reason,
  });
  if (kept === "ended") await recordBalances(partner, row, "after");
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

function readingOf(reading: Reading<{ status?: string | undefined; updated_at?: string | undefined }>): StatusReading {
  if (reading?.kind === "ok") {
    const { status, updated_at } = reading.body;
    return status === undefined ? { kind: "silent" } : { kind: "status", status, since: updated_at };
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
  if (!isId(id) || !(await claimWatchedRoutine(partner.db, id, { seconds: secondsBetweenReads, secondsOnceOver })))
    return;
  const routine = await findRoutine(partner.db, id);
  if (!routine) return;
  const { traceId } = routine;
  const reading = refreshRoutine(partner, id, { traceId }).catch((error) =>
    log().error({ error, traceId, routineId: id }, "reading a watched routine failed"),
  );
  await waitAtMost(waitMs, reading);
}

type Outcome = Refreshed | "not_yet_known";
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
): Promise<Outcome> {
  const routine = await findRoutineByServiceId(partner.db, id);
  if (routine) return refreshRoutine(partner, routine.id, options);
  const record = await readRoutineOf(partner, id, options);
  if (record.kind === "refused" && record.status === 404) return "not_ours";
  if (record.kind === "not_told" || record.kind === "reauthorization_required") return notFound(partner);
  if (record.kind !== "ok") return "try_later";
  // Its own answer comes in a moment.
  if (await hasRoutineUnderWayTo(partner.db, record.body.destination_id)) return "not_yet_known";
  const taken = await adoptRecord(partner, record.body);
  if (!("routineId" in taken)) return notFound(partner);
  if (taken.kind === "found") await requestComparison(partner.db);
  return refreshRoutine(partner, taken.routineId, options);
}

async function notFound(partner: Partner): Promise<Outcome> {
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

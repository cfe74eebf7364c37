import { type Answer, decisionOf, type ReauthorizationRequired } from "#client";
import { isId } from "../../kit/ids.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { claimRoutinesToRead, requestComparison } from "../storage/routine-comparison.ts";
import { hasPendingRoutineTo, hasUnansweredRoutine } from "../storage/routine-resolution.ts";
import { findRoutine, findRoutineByServiceId, type RoutineRow, storeRoutineBalance } from "../storage/routines.ts";
import type { BalanceMoment } from "../storage/schema.ts";
import { adoptRecord } from "./adopt-record.ts";
import { applyReport, type StatusReading } from "./apply-report.ts";

/** `try_later`: one of the two records couldn't be read. */
export type Refreshed = "applied" | "not_ours" | "try_later";

type Reading<Body> = Answer<Body> | ReauthorizationRequired | undefined;

/** Reads a routine and its transfer, if their ids are known, and applies what they say. */
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
  const readings = {
    routine: readingOf(routine ?? withoutBody(transfer)),
    // If the routine has just named its transfer, that one is read next.
    transfer: readingOf(transfer ?? (ids.transferId === undefined ? withoutBody(routine) : undefined)),
  };
  const kept = await applyReport(partner, routineId, {
    ...ids,
    ...readings,
    failureReason: bodyOf(transfer)?.failure_reason,
  });
  if (kept === "ended") await recordBalances(partner, row, "after");
  const hasNewId = [serviceRoutineId, transferId].filter(isKnown).length < Object.values(ids).filter(isKnown).length;
  if (hasNewId) return refreshRoutine(partner, routineId, { traceId });
  return Object.values(readings).some(({ kind }) => kind === "unknown") ? "try_later" : "applied";
}

/** For a record without a known id: the other record was readable, but doesn't name it. */
function withoutBody(reading: Reading<unknown>): Reading<{ status?: string }> {
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

const secondsBetweenReads = 3;
// Still read after its end: a restored service may have lost it.
const secondsOnceOver = 60;
const waitMs = 2000;

/** Refreshes a payment while its page is open, at most every 3 s, or every minute once it has ended. */
export async function watchRoutine(partner: Partner, id: string): Promise<void> {
  if (!isId(id)) return;
  const [claimed] = await claimRoutinesToRead(partner.db, [id], { seconds: secondsBetweenReads, secondsOnceOver });
  if (!claimed) return;
  const { traceId } = claimed;
  const reading = refreshRoutine(partner, id, { traceId });
  await waitAtMost(waitMs, reading, "reading a watched routine failed", { traceId, routineId: id });
}

type Outcome = Refreshed | "not_yet_known";
type ServiceId = { serviceRoutineId: string } | { transferId: string };

/**
 * Applies an event about a routine or transfer. An unknown one can belong to a payment whose answer was lost. Otherwise
 * it is adopted, and the next payment waits for a comparison, because there may be more.
 */
export async function applyRoutineUpdate(
  partner: Partner,
  id: ServiceId,
  options: { traceId: TraceId },
): Promise<Outcome> {
  const routine = await findRoutineByServiceId(partner.db, id);
  if (routine) return refreshRoutine(partner, routine.id, options);
  const record = await readRoutineOf(partner, id, options);
  // 403 says that the business may not read, and not whose it is.
  if (record.kind === "refused" && decisionOf(record) === "definite" && record.status !== 403) return "not_ours";
  if (record.kind === "no_routine_id" || record.kind === "reauthorization_required") return notFound(partner);
  if (record.kind !== "ok") return "try_later";
  // A request to this account is under way and will get its own answer.
  if (await hasPendingRoutineTo(partner.db, record.body.destination_id)) return "not_yet_known";
  const adopted = await adoptRecord(partner, record.body);
  if (!("routineId" in adopted)) return notFound(partner);
  if (adopted.kind === "found") await requestComparison(partner.db);
  return refreshRoutine(partner, adopted.routineId, options);
}

async function notFound(partner: Partner): Promise<Outcome> {
  return (await hasUnansweredRoutine(partner.db)) ? "not_yet_known" : "not_ours";
}

/** Reads a routine by its own id or its transfer's. `no_routine_id`: the transfer doesn't name its routine. */
export async function readRoutineOf(partner: Partner, id: ServiceId, { traceId }: { traceId: TraceId }) {
  const { readRoutine, readTransfer } = partner.client;
  if ("serviceRoutineId" in id) return read(partner, readRoutine, id.serviceRoutineId, traceId);
  const transfer = await read(partner, readTransfer, id.transferId, traceId);
  if (transfer.kind !== "ok") return transfer;
  const { routine_id } = transfer.body;
  if (routine_id === undefined) return { kind: "no_routine_id" as const };
  return read(partner, readRoutine, routine_id, traceId);
}

const balancesWaitMs = 1000;

/**
 * Records the balances of both accounts, so that the payment's page can show what changed. Never throws. Resolves
 * within 1 s and drops later answers, because money may have moved by then.
 */
export async function recordBalances(partner: Partner, routine: RoutineRow, when: "before" | "after"): Promise<void> {
  const late = new AbortController();
  const { sourceId, destinationId, sellerUserId } = routine;

  async function record(serviceUserId: string, accountId: string, moment: BalanceMoment): Promise<void> {
    const answer = await partner.tokens.call(serviceUserId, (accessToken) =>
      partner.client.listAccounts(accessToken, { traceId: routine.traceId }),
    );
    if (answer.kind !== "ok" || late.signal.aborted) return;
    const balance = answer.body.items.find(({ id }) => id === accountId)?.current_balance;
    if (balance) await storeRoutineBalance(partner.db, routine.id, moment, balance);
  }

  const reading = Promise.all([
    record(partner.config.businessUserId, sourceId, `source_${when}`),
    record(sellerUserId, destinationId, `destination_${when}`),
  ]);
  await waitAtMost(balancesWaitMs, reading, "reading the balances of a payment failed", { traceId: routine.traceId });
  late.abort();
}

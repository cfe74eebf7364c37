import { decisionOf, type ReauthorizationRequired, type Routine, type Transfer, type Unsuccessful } from "#client";
import { log } from "../../kit/log.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import {
  claimRoutinesToRead,
  listKnownRecords,
  listRoutinesToCompare,
  readComparison,
  storeComparison,
} from "../storage/routine-comparison.ts";
import { countMissingOf } from "../storage/routine-resolution.ts";
import type { PossibleRecord } from "../storage/schema.ts";
import { adoptRecord } from "./adopt-record.ts";
import { readRoutineOf, refreshRoutine } from "./refresh-routine.ts";

const pageSize = 100;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
// For the first comparison, and for any that finds a payment missing.
const maxDays = 30;
const minutesBetween = 10;
// Always compared, because a restore loses the newest. Without a list, each one costs two requests.
const newestMax = { listed: 20, unlisted: 5 };
const readsAtOnce = 10;
// Limits reads of payments that the service has but doesn't list; missing ones are always read.
const readMax = 500;
const secondsBetweenReads = 300;
const waitMs = 5000;

/** The result of a comparison. `failed`: the service couldn't be read completely, so a comparison is still due. */
export type ComparisonResult =
  | { kind: "compared"; found: number; missing: number; isPartial: boolean }
  | { kind: "failed" }
  | ReauthorizationRequired;

/** `progress` is called at each page, unknown payment and group of reads. */
type CompareOptions = { days?: number; stopping?: AbortSignal | undefined; progress?: () => void };

type Running = { result: Promise<ComparisonResult>; watchers: Set<() => void> };
const running = new WeakMap<Partner, Running>();

/** Compares now, or joins this partner's running comparison. */
export function compareRoutines(
  partner: Partner,
  { progress, ...options }: CompareOptions = {},
): Promise<ComparisonResult> {
  const { result, watchers } = running.get(partner) ?? start(partner, options);
  if (progress) watchers.add(progress);
  return result;
}

function start(partner: Partner, options: Omit<CompareOptions, "progress">): Running {
  const watchers: Running["watchers"] = new Set();
  const progress = () => {
    for (const watcher of watchers) watcher();
  };
  const result = compare(partner, { ...options, progress }).finally(() => running.delete(partner));
  running.set(partner, { result, watchers });
  return { result, watchers };
}

/** Compares, but stops waiting after five seconds: then undefined, while the comparison continues. */
export function compareWithTimeout(partner: Partner): Promise<ComparisonResult | undefined> {
  return waitAtMost(waitMs, compareRoutines(partner), "comparing payments with the service failed");
}

export async function compareRoutinesWhenDue(
  partner: Partner,
  options: Pick<CompareOptions, "stopping" | "progress"> = {},
): Promise<void> {
  const { isDue, comparedAt, startedAt } = await readComparison(partner.db);
  const isOld = comparedAt === null || startedAt.getTime() - comparedAt.getTime() >= minutesBetween * 60_000;
  if (isDue || isOld) await compareRoutines(partner, options);
}

/**
 * Compares Harbor's payments with the service's list: adopts unknown ones, and reads those that aren't listed. Goes
 * back to the last comparison and at least a day, or 30 days if a payment is missing.
 */
async function compare(
  partner: Partner,
  { days, stopping, progress }: CompareOptions & Pick<WalkOptions, "progress">,
): Promise<ComparisonResult> {
  const { startedAt, coveredUntil, beginsAt, databaseIdentity } = await readComparison(partner.db);
  const daysAgo = (count: number) => startedAt.getTime() - count * dayMs;
  const furthest = daysAgo(days ?? maxDays);
  const uncovered = coveredUntil?.getTime() ?? daysAgo(maxDays);
  const nearest = Math.min(days === undefined ? daysAgo(1) : furthest, uncovered);
  let found = 0;
  let missing = 0;
  for (const since of nearest > furthest ? [nearest, furthest] : [nearest]) {
    const possibleRecords: PossibleRecord[] = [];
    const options = { beginsAt: beginsAt ?? undefined, possibleRecords, stopping, progress };
    const walked = await walk(partner, { ...options, since: new Date(since) });
    if (walked.kind !== "walked") return walked;
    found += walked.found;
    const lost = await readUnlisted(partner, walked, { since: new Date(since + hourMs), stopping, progress });
    missing += lost;
    if (stopping?.aborted) return { kind: "failed" };
    if (lost > 0 && since > furthest) continue;
    const isPartial = walked.isPartial || walked.adoptions.has("unreadable");
    const isCovering = !isPartial && !walked.adoptions.has("waits");
    const state = { startedAt, isPartial, possibleRecords, databaseIdentity };
    const stored = await storeComparison(partner.db, { ...state, isCovering });
    if (!stored) return { kind: "failed" };
    const compared = { kind: "compared" as const, found, missing, isPartial };
    if (found + missing > 0) log().warn(compared, "the service's payments differed from ours");
    return compared;
  }
  return { kind: "failed" };
}

/** `isPartial`: the list doesn't go far enough. `adoptions`: what became of unknown payments. */
type ListWalk = {
  kind: "walked";
  listed: Set<string>;
  found: number;
  isPartial: boolean;
  adoptions: ReadonlySet<Adoption>;
};
/** The walk adds to `possibleRecords`. */
type WalkOptions = {
  since: Date;
  beginsAt: Date | undefined;
  possibleRecords: PossibleRecord[];
  stopping: AbortSignal | undefined;
  progress: () => void;
};
type Failure = { kind: "failed" } | ReauthorizationRequired;

type Listed = { routineId?: string | undefined; transferId?: string | undefined; createdAt?: string | undefined } & {
  adopt: (possibleRecords: PossibleRecord[]) => Promise<Adoption>;
};
/**
 * `settled`: it's known or isn't the business's. `waits`: it may belong to an unanswered payment. `failed`: it can't be read
 * now.
 */
type Adoption = "found" | "settled" | "waits" | "unreadable" | "failed";
type Page = { kind: "ok"; items: Listed[]; isWhole: boolean; isLast: boolean; next?: string | undefined };
type ReadPage = (partner: Partner, startingAfter: string | undefined) => Promise<Page | { kind: "no_list" } | Failure>;

/** Walks the list of routines, and of transfers if that one is incomplete, from the newest back to `since`. */
async function walk(partner: Partner, options: WalkOptions): Promise<ListWalk | Failure> {
  let partial: ListWalk | undefined;
  for (const readPage of [readRoutines, readTransfers]) {
    const walked = await walkList(partner, readPage, options);
    if (walked.kind !== "walked") return walked;
    const both = { ...walked, found: walked.found + (partial?.found ?? 0) };
    if (!both.isPartial) return both;
    partial = both;
  }
  return partial ?? { kind: "failed" };
}

async function walkList(
  partner: Partner,
  readPage: ReadPage,
  { since, stopping, ...options }: WalkOptions,
): Promise<ListWalk | Failure> {
  const listed = new Set<string>();
  const cursors = new Set<string>();
  let found = 0;
  const adoptions = new Set<Adoption>();
  let isWhole = true;
  let startingAfter: string | undefined;
  const walked = (isPartial: boolean): ListWalk => ({
    ...{ kind: "walked", listed, found, adoptions },
    isPartial: isPartial || !isWhole,
  });
  while (!stopping?.aborted) {
    const page = await readPage(partner, startingAfter);
    options.progress();
    if (page.kind === "no_list") return walked(true);
    if (page.kind !== "ok") return page;
    const { items, isLast, next } = page;
    isWhole &&= page.isWhole;
    const adopted = await adoptUnknown(partner, items, { ...options, listed });
    if (adopted.includes("failed")) return { kind: "failed" };
    found += adopted.filter((adoption) => adoption === "found").length;
    for (const adoption of adopted) adoptions.add(adoption);
    if (items.some(({ createdAt }) => createdAt !== undefined && new Date(createdAt) < since)) return walked(false);
    if (next === undefined) return walked(!isLast);
    if (cursors.has(next)) return walked(true);
    cursors.add(next);
    startingAfter = next;
  }
  return { kind: "failed" };
}

/** Adopts the unknown items, up to the first one that fails. */
async function adoptUnknown(
  partner: Partner,
  items: Listed[],
  { listed, beginsAt, possibleRecords, progress }: Omit<WalkOptions, "since" | "stopping"> & { listed: Set<string> },
): Promise<Adoption[]> {
  const idsOf = ({ routineId, transferId }: Listed) => [routineId, transferId].filter((id) => id !== undefined);
  for (const id of items.flatMap(idsOf)) listed.add(id);
  const rows = await listKnownRecords(partner.db, {
    routines: items.flatMap(({ routineId }) => routineId ?? []),
    transfers: items.flatMap(({ transferId }) => transferId ?? []),
  });
  for (const { id } of rows.filter(({ isMissing }) => isMissing)) {
    await refreshRoutine(partner, id, { traceId: newTraceId() });
    progress();
  }
  const known = new Set(rows.flatMap(({ recordIds }) => recordIds));
  const adopted: Adoption[] = [];
  for (const item of items) {
    const isTooOld = beginsAt !== undefined && item.createdAt !== undefined && new Date(item.createdAt) < beginsAt;
    if (isTooOld || idsOf(item).some((id) => known.has(id))) continue;
    const adoption = await item.adopt(possibleRecords);
    progress();
    adopted.push(adoption);
    if (adoption === "failed") break;
  }
  return adopted;
}

/** Reads the payments that are not listed, and returns how many the service no longer has. */
async function readUnlisted(
  partner: Partner,
  { listed, isPartial }: ListWalk,
  { since, stopping, progress }: Pick<WalkOptions, "since" | "stopping" | "progress">,
): Promise<number> {
  const range = isPartial
    ? { since: undefined, newestMax: newestMax.unlisted }
    : { since, newestMax: newestMax.listed };
  const routines = await listRoutinesToCompare(partner.db, range);
  const ids = routines
    .filter(({ serviceRoutineId, transferId }) => !listed.has(serviceRoutineId ?? "") && !listed.has(transferId ?? ""))
    .map(({ id }) => id);
  let missing = 0;
  let notLost = 0;
  for (let at = 0; at < ids.length && notLost < readMax && !stopping?.aborted; at += readsAtOnce) {
    progress();
    const claimed = await claimRoutinesToRead(partner.db, ids.slice(at, at + readsAtOnce), {
      seconds: secondsBetweenReads,
    });
    await Promise.all(claimed.map(({ id, traceId }) => refreshRoutine(partner, id, { traceId })));
    const claimedIds = claimed.map(({ id }) => id);
    const lost = await countMissingOf(partner.db, claimedIds);
    missing += lost;
    notLost += claimed.length - lost;
  }
  return missing;
}

const readRoutines: ReadPage = async (partner, startingAfter) => {
  const answer = await partner.tokens.call(partner.config.businessUserId, (accessToken) =>
    partner.client.listRoutines(accessToken, { limit: pageSize, startingAfter }),
  );
  if (answer.kind !== "ok") return failureOf(answer);
  const items = answer.body.items.map(
    (record): Listed => ({
      routineId: record.id,
      transferId: record.transfer_id,
      createdAt: record.created_at,
      adopt: (possibleRecords) => adoptRoutine(partner, record, possibleRecords),
    }),
  );
  return { ...answer.body, kind: "ok", items };
};

const readTransfers: ReadPage = async (partner, startingAfter) => {
  const answer = await partner.tokens.call(partner.config.businessUserId, (accessToken) =>
    partner.client.listTransfers(accessToken, { limit: pageSize, startingAfter }),
  );
  if (answer.kind !== "ok") return failureOf(answer);
  const items = answer.body.items.map(
    (transfer): Listed => ({
      routineId: transfer.routine_id,
      transferId: transfer.id,
      createdAt: transfer.created_at,
      adopt: (possibleRecords) => adoptTransfer(partner, transfer, possibleRecords),
    }),
  );
  return { ...answer.body, kind: "ok", items };
};

async function adoptRoutine(partner: Partner, record: Routine, possibleRecords: PossibleRecord[]): Promise<Adoption> {
  const adopted = await adoptRecord(partner, record);
  if ("mayBeOf" in adopted && adopted.mayBeOf.length > 0) {
    possibleRecords.push({ id: record.id, mayBeOf: adopted.mayBeOf });
  }
  return adopted.kind === "known" ? "settled" : adopted.kind;
}

async function adoptTransfer(
  partner: Partner,
  { id, routine_id }: Transfer,
  possibleRecords: PossibleRecord[],
): Promise<Adoption> {
  const ids = routine_id === undefined ? { transferId: id } : { serviceRoutineId: routine_id };
  const record = await readRoutineOf(partner, ids, { traceId: newTraceId() });
  if (record.kind === "ok") return adoptRoutine(partner, record.body, possibleRecords);
  if (record.kind === "no_routine_id" || record.kind === "unreadable") return "unreadable";
  if (record.kind !== "refused") return "failed";
  // The payer's routine, when the business was paid.
  if (record.status === 404 && routine_id !== undefined) return "settled";
  return decisionOf(record) === "definite" || record.status === 501 ? "unreadable" : "failed";
}

function failureOf(answer: Unsuccessful | ReauthorizationRequired): { kind: "no_list" } | Failure {
  if (answer.kind === "reauthorization_required") return answer;
  const hasNoList =
    answer.kind === "unreadable" ||
    decisionOf(answer) === "definite" ||
    (answer.kind === "refused" && answer.status === 501);
  return { kind: hasNoList ? "no_list" : "failed" };
}

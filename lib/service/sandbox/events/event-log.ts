import { limits } from "../../../contract/limits.ts";
import type { SandboxEvent, StoredSandboxEvent } from "../../../contract/sandbox-events.ts";
import { isDatabaseUnavailable, isDataError } from "../../../kit/database-errors.ts";
import { describeError } from "../../../kit/describe-error.ts";
import { log } from "../../../kit/log.ts";
import { type Cell, inCell } from "../../cells.ts";
import { findCellOfClient } from "../../storage/client-cells.ts";
import { insertSandboxEvents, type NewSandboxEvent, type WrittenSize } from "../storage/events.ts";
import { addPeople, knownPeople, namesToLookUp, rememberPeople } from "./people-of-joins.ts";

/** An event when it happens; the client's time and token owners are added on write. */
export type EventDraft = DraftOf<SandboxEvent>;
type DraftOf<Event> = Event extends unknown ? Omit<Event, "id" | "at" | "client_time"> & { at: Date } : never;

/**
 * An observation with its approximate size in bytes; `toDraft` redacts it, and runs only if it's written.
 */
export type ObservedEvent = { clientId: string; kind: SandboxEvent["kind"]; bytes: number; toDraft: () => EventDraft };

const { storedEventsMax, storedEventBytesMax, eventBytesPerWriteMax, storedRequestsMax } = limits;

// Short enough to look live, long enough to batch under load.
const delayMs = 50;
const pauseMs = 500;
// Per client, kind, and write. Under load, only the newest are kept.
const perWriteMax = storedRequestsMax;
const heldMax = 500;
const heldBytesMax = 64 * 1024 * 1024;

/** Pending observations of one client and kind. */
type Queue = { seen: (ObservedEvent & { index: number })[]; bytes: number };

// Kept raw: under load most of these are dropped before they'd need redacting.
const waiting = new Map<string, Queue>();
let heldBytes = 0;
let nextIndex = 0;
let timer: NodeJS.Timeout | undefined;
let writing: Promise<void> = Promise.resolve();
let lastWriteAtMs = Number.NEGATIVE_INFINITY;

/** Queues an observation of a client. Returns immediately, never throws, and writes shortly after. */
export function logEvent(seen: ObservedEvent): void {
  const name = `${seen.kind} ${seen.clientId}`;
  let queue = waiting.get(name);
  if (heldBytes + seen.bytes > heldBytesMax) return;
  if (!queue) {
    if (waiting.size >= heldMax) return;
    queue = { seen: [], bytes: 0 };
    waiting.set(name, queue);
  }
  queue.seen.push({ ...seen, index: nextIndex++ });
  queue.bytes += seen.bytes;
  heldBytes += seen.bytes;
  // Dropped in halves: shifting one by one would move the whole array each time.
  if (queue.seen.length >= 2 * perWriteMax || queue.bytes >= 2 * eventBytesPerWriteMax) {
    const { seen: newest, bytes } = newestOf(queue);
    heldBytes -= queue.bytes - bytes;
    waiting.set(name, { seen: newest, bytes });
  }
  timer ??= setTimeout(flushEventLog, Math.max(delayMs, lastWriteAtMs + pauseMs - performance.now()));
}

/** One write's batch of a queue. */
function newestOf({ seen }: Queue): Queue {
  let bytes = 0;
  let from = seen.length;
  for (; from > Math.max(0, seen.length - perWriteMax); from--) {
    const next = bytes + (seen[from - 1]?.bytes ?? 0);
    if (next > eventBytesPerWriteMax) break;
    bytes = next;
  }
  return { seen: seen.slice(from), bytes };
}

/** Writes everything pending; resolves once it's readable. Batches that fail are dropped. */
export function flushEventLog(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  writing = writing.then(writeWaiting);
  return writing;
}

async function writeWaiting(): Promise<void> {
  const seen = [...waiting.values()].flatMap((queue) => newestOf(queue).seen);
  waiting.clear();
  heldBytes = 0;
  if (seen.length === 0) return;
  const drafts = seen.toSorted((left, right) => left.index - right.index).flatMap(draftOf);
  await writeByCell(drafts);
  lastWriteAtMs = performance.now();
}

async function writeByCell(drafts: Draft[]): Promise<void> {
  const byCell = new Map<Cell, Draft[]>();
  try {
    for (const draft of drafts) {
      const cell = await findCellOfClient(draft.clientId);
      if (cell) byCell.set(cell, [...(byCell.get(cell) ?? []), draft]);
    }
  } catch (error) {
    return logLost(drafts.length, error);
  }
  await Promise.all([...byCell].map(([cell, cellDrafts]) => inCell(cell, () => writeEvents(cellDrafts))));
}

function draftOf({ clientId, toDraft }: ObservedEvent): Draft[] {
  try {
    return [{ clientId, draft: toDraft() }];
  } catch (error) {
    logLost(1, error);
    return [];
  }
}

function logLost(lost: number, error: unknown): void {
  log().warn({ lost, error: describeError(error) }, "sandbox events could not be stored");
}

type Draft = { clientId: string; draft: EventDraft };
type EventLimits = { eventsMax: number; bytesMax: number };

/**
 * Writes events in order, and trims each client to `bounds` plus a twentieth. A failing batch is split until only the bad
 * events are dropped.
 */
export async function writeEvents(
  drafts: Draft[],
  bounds: EventLimits = { eventsMax: storedEventsMax, bytesMax: storedEventBytesMax },
): Promise<void> {
  try {
    await writeSet(drafts, bounds);
  } catch (error) {
    if (drafts.length <= 1 || (isDatabaseUnavailable(error) && !isDataError(error)))
      return logLost(drafts.length, error);
    const half = Math.ceil(drafts.length / 2);
    await writeEvents(drafts.slice(0, half), bounds);
    await writeEvents(drafts.slice(half), bounds);
  }
}

async function writeSet(drafts: Draft[], bounds: EventLimits): Promise<void> {
  const clientIds = [...new Set(drafts.map(({ clientId }) => clientId))];
  const joined = drafts.map(({ clientId, draft }) => ({ clientId, joins: draft.joins }));
  let known = new Map<string, string[]>();
  const toTrim = (written: ReadonlyMap<string, WrittenSize>) =>
    [...written].flatMap(([clientId, size]) => (isToTrim(clientId, size, bounds) ? [clientId] : []));
  await insertSandboxEvents({ clientIds, names: namesToLookUp(joined), toTrim, bounds }, ({ aheadMs, people }) => {
    known = knownPeople(people, joined);
    return drafts.map(({ clientId, draft }): NewSandboxEvent => {
      const joins = addPeople(known, { clientId, joins: draft.joins });
      return { clientId, event: toStored({ ...draft, joins }, aheadMs.get(clientId) ?? 0) };
    });
  });
  rememberPeople(known);
}

// Writes per client since the last trim, which scans everything stored. A missing client is due for a trim.
const untrimmed = new Map<string, WrittenSize>();
const untrimmedMax = 1000;

function isToTrim(clientId: string, written: WrittenSize, { eventsMax, bytesMax }: EventLimits): boolean {
  const before = untrimmed.get(clientId);
  const now = { events: (before?.events ?? 0) + written.events, bytes: (before?.bytes ?? 0) + written.bytes };
  const isMany = !before || now.events > eventsMax / 20 || now.bytes > bytesMax / 20;
  if (untrimmed.size >= untrimmedMax) untrimmed.clear();
  untrimmed.set(clientId, isMany ? { events: 0, bytes: 0 } : now);
  return isMany;
}

function toStored(draft: EventDraft, aheadMs: number): StoredSandboxEvent {
  const clientTime = new Date(draft.at.getTime() + aheadMs);
  const event = { ...draft, at: draft.at.toISOString(), client_time: clientTime.toISOString() } as StoredSandboxEvent;
  if (event.kind !== "call" || !event.facts.issued) return event;
  const endAfter = (seconds: number) => new Date(clientTime.getTime() + seconds * 1000).toISOString();
  const issued = {
    ...event.facts.issued,
    access_expires_at: endAfter(limits.accessTokenSeconds),
    refresh_expires_at: endAfter(limits.refreshTokenSeconds),
    user_id: event.joins.find((join) => join.startsWith("user:"))?.slice("user:".length) ?? null,
  };
  return { ...event, facts: { ...event.facts, issued } };
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { newId } from "../../kit/ids.ts";
import { log } from "../../kit/log.ts";
import { processWide } from "../../kit/memoize.ts";
import type { TraceId } from "../../kit/trace.ts";
import { partnerConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import { deleteSurplusEntries, insertEntries, listPeopleConcerned } from "../storage/inspector-entries.ts";
import type { EntryDetails } from "./entry.ts";

/**
 * Whose entry it is: of whoever acted, or of the people whom these ids concern (their own, or those of their user, intent, payment),
 * or whose action began the trace. `isPayeeToo`: also of the seller whom a payment goes to.
 */
export type EntryReader = { personId: string } | { ids: string[]; isPayeeToo?: boolean };

/** An entry to be kept, and for whom. */
export type NewEntry = { traceId: TraceId; at: Date; details: EntryDetails; reader: EntryReader };

// What cannot be written fast enough is dropped: nothing waits for the inspector, and what it holds is bounded.
const waitingMax = 500;
const writtenTogetherMax = 50;
const queue = processWide("partner.inspector", () => ({ entries: [] as NewEntry[], isWriting: false }));

/** Keeps an entry soon, in a sandbox, and returns at once. What goes wrong is logged and concerns nobody else. */
export function keepEntry(entry: NewEntry): void {
  if (!partnerConfig().isSandbox || queue().entries.length >= waitingMax) return;
  queue().entries.push(entry);
  if (!queue().isWriting) void writeAll();
}

async function writeAll(): Promise<void> {
  const { entries } = queue();
  queue().isWriting = true;
  while (entries.length > 0) {
    await nextTurn();
    await write(entries.splice(0, writtenTogetherMax)).catch(noteLost);
  }
  queue().isWriting = false;
}

function noteLost(error: unknown): void {
  log().warn({ error }, "entries of the inspector were not kept");
}

async function write(entries: NewEntry[]): Promise<void> {
  const found = await Promise.all(entries.map((entry) => rowsOf(entry).catch(noteLost)));
  const rows = found.flatMap((own) => own ?? []);
  if (rows.length === 0) return;
  await insertEntries(database(), rows);
  await deleteSurplusEntries(database(), [...new Set(rows.map(({ personId }) => personId))]);
}

async function rowsOf({ traceId, at, details, reader }: NewEntry) {
  const people =
    "personId" in reader ? [reader.personId] : await listPeopleConcerned(database(), { traceId, ...reader });
  return people.map((personId) => ({ id: newId(), personId, traceId, details, occurredRealAt: at }));
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { newId } from "../../kit/ids.ts";
import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Database, Db } from "../storage/database.ts";
import { deleteSurplusEntries, insertEntries, listPeopleConcerned } from "../storage/inspector-entries.ts";
import type { EntryDetails } from "../storage/inspector-entry.ts";

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

/** Keeps an entry soon and returns at once. What goes wrong is logged and changes nothing else. */
export type WriteEntry = (entry: NewEntry) => void;

/** Writes entries one batch after another. */
export function createEntryWriter({ db }: Database): WriteEntry {
  const entries: NewEntry[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (entries.length > 0) {
      await nextTurn();
      await write(db, entries.splice(0, writtenTogetherMax)).catch(logLost);
    }
    isWriting = false;
  }

  return (entry) => {
    if (entries.length >= waitingMax) return;
    entries.push(entry);
    if (!isWriting) void writeAll();
  };
}

function logLost(error: unknown): void {
  log().warn({ error }, "entries of the inspector were not kept");
}

async function write(db: Db, entries: NewEntry[]): Promise<void> {
  const found = await Promise.all(entries.map((entry) => rowsOf(db, entry).catch(logLost)));
  const rows = found.flatMap((own) => own ?? []);
  if (rows.length === 0) return;
  await insertEntries(db, rows);
  await deleteSurplusEntries(db, [...new Set(rows.map(({ personId }) => personId))]);
}

async function rowsOf(db: Db, { traceId, at, details, reader }: NewEntry) {
  const people = "personId" in reader ? [reader.personId] : await listPeopleConcerned(db, { traceId, ...reader });
  return people.map((personId) => ({ id: newId(), personId, traceId, details, occurredRealAt: at }));
}

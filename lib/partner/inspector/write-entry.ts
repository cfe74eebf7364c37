import { setImmediate as nextTurn } from "node:timers/promises";
import { newId } from "../../kit/ids.ts";
import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Database, Db } from "../storage/database.ts";
import type { EntryDetails } from "./schema.ts";
import { deleteSurplusEntries, insertEntries, listPeopleConcerned } from "./storage.ts";

/** Whose entry it is: a person's, or everyone's behind these ids. `isPayeeToo`: also a payment's seller. */
export type EntryReader = { personId: string } | { ids: string[]; isPayeeToo?: boolean };

export type NewEntry = { traceId: TraceId; at: Date; details: EntryDetails; reader: EntryReader };

// Entries beyond this are dropped.
const waitingMax = 500;
const writtenTogetherMax = 50;

/** Queues an entry; failures are only logged. */
export type WriteEntry = (entry: NewEntry) => void;

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
  log().warn({ error }, "inspector entries were not stored");
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

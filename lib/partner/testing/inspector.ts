import { vi } from "vitest";
import { newTraceId } from "../../kit/trace.ts";
import { type InspectedEntry, readEntries } from "../inspector/read-inspector.ts";
import { partner } from "../process-partner.ts";
import { withinAction } from "../requests/current-action.ts";
import type { Person } from "../storage/people.ts";

/** Runs some work as a request of this person's browser would. */
export function actAs<T>(person: Person, work: () => Promise<T>): Promise<T> {
  return withinAction({ traceId: newTraceId(), cause: "POST /somewhere", personId: person.id }, work);
}

/** A person's entries, newest first, once there are this many; they're written shortly after the event. */
export function entriesOf(person: Person, count: number): Promise<InspectedEntry[]> {
  const read = async () => {
    const { entries } = await readEntries(partner(), person.id);
    return entries.length >= count ? entries : undefined;
  };
  return vi.waitUntil(read, { timeout: 30_000 });
}

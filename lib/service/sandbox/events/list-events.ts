import { limits } from "../../../contract/limits.ts";
import type { CallEvent, EventPage, SandboxEvent, SandboxEventKind } from "../../../contract/sandbox-events.ts";
import { findSequenceBeforeNewest, listSandboxEvents, listSandboxFacts } from "../storage/events.ts";
import { flushEventLog } from "./event-log.ts";

const { storedRequestsMax, eventsPageBytesMax } = limits;

/** The events after `after`, else the newest before `before`. */
export type EventPageChoice = {
  clientId: string;
  kind: SandboxEventKind | undefined;
  join: string | undefined;
  after: number | undefined;
  before: number | undefined;
  limit: number;
};

/** A page of events, oldest first, including this process's pending ones. */
export async function readEvents({ limit, ...choice }: EventPageChoice): Promise<EventPage> {
  await flushEventLog();
  const { clientId, kind, join, after, before } = choice;
  const isForward = after !== undefined && before === undefined;
  const from = isForward ? "first" : "newest";
  const { events, hasMore } = await listSandboxEvents(choice, { from, limit, bytesMax: eventsPageBytesMax });
  const exist = async (beyond: { before: number } | { after: number }) =>
    (await listSandboxFacts({ clientId, kind, join, ...beyond }, { limit: 1 })).length > 0;
  if (isForward) {
    const earlierExist = await exist({ before: Number(events[0]?.id ?? after + 1) });
    return { events, earlier_exist: earlierExist, later_exist: hasMore };
  }
  const laterExist = await exist({ after: Number(events.at(-1)?.id ?? (before ?? 1) - 1) });
  const earlierExist = hasMore || (after !== undefined && (await exist({ before: after + 1 })));
  return { events, earlier_exist: earlierExist, later_exist: laterExist };
}

// One chunk of a stream; the next is read once the reader has consumed it.
const streamed = { from: "first", limit: 100, bytesMax: 256 * 1024 } as const;

export async function listEventsAfter(clientId: string, after: number): Promise<SandboxEvent[]> {
  return (await listSandboxEvents({ clientId, after }, streamed)).events;
}

export async function listRequestsAfter(clientId: string, after: number): Promise<CallEvent[]> {
  return callsAmong(await listSandboxEvents({ clientId, kind: "call", after }, streamed));
}

/** The sequence that a stream of the last `limits.storedRequestsMax` calls starts after. */
export async function findStartOfRequests(clientId: string, after: number): Promise<number> {
  return (await findSequenceBeforeNewest({ clientId, kind: "call", after }, storedRequestsMax)) ?? after;
}

export async function listRequests(clientId: string): Promise<CallEvent[]> {
  await flushEventLog();
  const page = { from: "newest", limit: storedRequestsMax, bytesMax: eventsPageBytesMax } as const;
  return callsAmong(await listSandboxEvents({ clientId, kind: "call" }, page)).toReversed();
}

function callsAmong({ events }: { events: SandboxEvent[] }): CallEvent[] {
  return events.filter((event) => event.kind === "call");
}

// Small enough to parse in a few milliseconds, since that blocks other requests.
const factsPageSize = 200;

/** All of a client's events, oldest first, without bodies, which no rule reads. */
export async function readAllEvents(clientId: string): Promise<SandboxEvent[]> {
  await flushEventLog();
  const events: SandboxEvent[] = [];
  for (;;) {
    const after = Number(events.at(-1)?.id ?? 0);
    const page = await listSandboxFacts({ clientId, after }, { limit: factsPageSize });
    events.push(...page);
    if (page.length < factsPageSize) return events;
  }
}

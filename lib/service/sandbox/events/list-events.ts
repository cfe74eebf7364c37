import { limits } from "../../../contract/limits.ts";
import type { CallEvent, EventPage, SandboxEvent, SandboxEventKind } from "../../../contract/sandbox-events.ts";
import { listNewestSandboxEvents, listNextSandboxEvents } from "../../storage/sandbox-events.ts";
import { flushEventLog } from "./event-log.ts";

const { requestsKeptMax, eventsPageMax } = limits;

/** Which page of a client's events: what follows `after`, else the newest before `before`. */
export type EventPageChoice = {
  clientId: string;
  kind: SandboxEventKind | undefined;
  join: string | undefined;
  after: number | undefined;
  before: number | undefined;
  limit: number;
};

/** A page of a client's events, oldest first; what this process has just seen is among them. */
export async function readEvents({ limit, ...choice }: EventPageChoice): Promise<EventPage> {
  await flushEventLog();
  const { clientId, kind, join, after, before } = choice;
  const isForward = after !== undefined && before === undefined;
  // One more than is shown tells whether there are more.
  const found = isForward
    ? await listNextSandboxEvents({ clientId, kind, join, after, limit: limit + 1 })
    : await listNewestSandboxEvents({ ...choice, limit: limit + 1 });
  const isCut = found.length > limit;
  const events = isForward ? found.slice(0, limit) : found.slice(-limit);
  const edge = isForward ? Number(events[0]?.id ?? after + 1) : Number(events.at(-1)?.id ?? before ?? after ?? 0);
  const beyond = isForward
    ? await listNewestSandboxEvents({ clientId, kind, join, before: edge, limit: 1 })
    : await listNextSandboxEvents({ clientId, kind, join, after: edge, limit: 1 });
  return isForward
    ? { events, earlier_exist: beyond.length > 0, later_exist: isCut }
    : { events, earlier_exist: isCut, later_exist: beyond.length > 0 };
}

/** The next events after this one, oldest first, as many as a reader of a stream gets at once. */
export function listEventsAfter(clientId: string, sequence: number) {
  return listNextSandboxEvents({ clientId, after: sequence, limit: eventsPageMax });
}

/** A client's last calls of the API, newest first, at most `limits.requestsKeptMax`. */
export async function listRequests(clientId: string): Promise<CallEvent[]> {
  await flushEventLog();
  return (await listRequestsAfter(clientId, 0)).toReversed();
}

/** The same after one of them, oldest first. */
export async function listRequestsAfter(clientId: string, sequence: number): Promise<CallEvent[]> {
  const choice = { clientId, kind: "call" as const, after: sequence, limit: requestsKeptMax };
  return (await listNewestSandboxEvents(choice)).filter((event) => event.kind === "call");
}

// Small, because reading a page holds up everything else in the process.
const judgedPage = 250;

/** All that is kept of a client, oldest first, without what was asked and answered, which can be large and no rule reads. */
export async function readAllEvents(clientId: string): Promise<SandboxEvent[]> {
  await flushEventLog();
  const events: SandboxEvent[] = [];
  for (;;) {
    const after = Number(events.at(-1)?.id ?? 0);
    const page = await listNextSandboxEvents({ clientId, after, limit: judgedPage });
    for (const event of page) events.push({ ...event, request: null, response: null });
    if (page.length < judgedPage) return events;
  }
}

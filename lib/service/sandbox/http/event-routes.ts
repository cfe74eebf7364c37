import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import {
  type CallEvent,
  eventPage,
  eventStream,
  type RequestList,
  type RequestRecord,
  requestList,
  type SandboxEvent,
  sandboxEventKinds,
} from "../../../contract/sandbox-events.ts";
import type { Reply } from "../../http/frame/answer-request.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { type Refusal, refuse } from "../../http/frame/refusal.ts";
import { type EventStreamOptions, openEventStream } from "../events/event-stream.ts";
import {
  findStartOfRequests,
  listEventsAfter,
  listRequests,
  listRequestsAfter,
  readEvents,
} from "../events/list-events.ts";

const eventId = z.string().check(z.regex(/^\d{1,15}$/, "Must be an event id."));

const eventQuery = z.strictObject({
  after: z.optional(eventId),
  before: z.optional(eventId),
  limit: z.optional(
    z.string().check(
      z.regex(/^[1-9]\d{0,3}$/, "Must be a whole number."),
      z.refine((text) => Number(text) <= limits.eventsPageMax, `Must be at most ${limits.eventsPageMax}.`),
    ),
  ),
  kind: z.optional(z.enum(sandboxEventKinds, "Must be an event kind.")),
  join: z.optional(z.string().check(z.regex(/^[a-z]+:[\w-]{1,100}$/, "Must be an event's join, like `visit:…`."))),
});

const listEvents = defineRoute({
  operation: "listSandboxEvents",
  method: "GET",
  path: "/sandbox/events",
  who: "client",
  query: eventQuery,
  documentation: {
    summary: "List events",
    description: `API calls, steps on the authorization pages, calls to your customer endpoint, webhook attempts, and sandbox calls that change something: this client's last ${limits.storedEventsMax}, one page oldest first. \`after\` pages forward from an event and \`before\` backward; without either you get the newest page. \`join\` finds related events. Secrets appear only as fingerprints.`,
    answer: { status: 200, body: eventPage },
  },
  handle: async ({ caller: { client }, query }) => {
    const { after, before, limit, kind, join } = query;
    const body = await readEvents({
      clientId: client.id,
      kind,
      join,
      after: sequenceOf(after),
      before: sequenceOf(before),
      limit: limit === undefined ? limits.eventsPageDefault : Number(limit),
    });
    return { status: 200, body };
  },
});

const streamEvents = defineRoute({
  operation: "streamSandboxEvents",
  method: "GET",
  path: "/sandbox/events/stream",
  who: "client",
  query: z.strictObject({ after: z.optional(eventId) }),
  isStream: true,
  documentation: {
    summary: "Stream events",
    description: `Server-sent events: each \`data\` is one event as in the list. Pass an \`id\` as \`last-event-id\` or \`after\` to continue from there; without either the stream starts with the oldest event. At most ${limits.eventStreamsMax} streams per client.`,
    answer: { status: 200, body: eventStream, mediaType: "text/event-stream" },
  },
  handle: ({ caller: { client }, query, lastEventId }) =>
    replyStream({
      clientId: client.id,
      name: "event",
      readAfter: (sequence) => listEventsAfter(client.id, sequence),
      afterSequence: sequenceOf(lastEventId) ?? sequenceOf(query.after) ?? 0,
      present: (event) => event,
    }),
});

const listRequestsRoute = defineRoute({
  operation: "listSandboxRequests",
  method: "GET",
  path: "/sandbox/requests",
  who: "client",
  documentation: {
    summary: "List recent API requests",
    description: `This client's last ${limits.storedRequestsMax}, newest first. Social Security numbers, dates of birth, addresses, tokens, codes, and secrets are redacted.`,
    answer: { status: 200, body: requestList },
  },
  handle: async ({ caller: { client } }) => {
    const body: RequestList = { requests: (await listRequests(client.id)).map(presentRequest) };
    return { status: 200, body };
  },
});

const streamRequestsRoute = defineRoute({
  operation: "streamSandboxRequests",
  method: "GET",
  path: "/sandbox/requests/stream",
  who: "client",
  isStream: true,
  documentation: {
    summary: "Stream API requests",
    description:
      "Server-sent events: each `data` is one request as in the list. Pass an `id` as `last-event-id` to continue from there.",
    answer: { status: 200, body: eventStream, mediaType: "text/event-stream" },
  },
  handle: async ({ caller: { client }, lastEventId }) =>
    replyStream({
      clientId: client.id,
      name: "request",
      readAfter: (sequence) => listRequestsAfter(client.id, sequence),
      afterSequence: await findStartOfRequests(client.id, sequenceOf(lastEventId) ?? 0),
      present: presentRequest,
    }),
});

/** API requests (Decision D16) and events (Decision D20), as pages and streams. */
export const sandboxEventRoutes: Route[] = [listRequestsRoute, streamRequestsRoute, listEvents, streamEvents];

function presentRequest(call: CallEvent): RequestRecord {
  return {
    id: call.id,
    request_id: call.request_id,
    trace_id: call.trace_id ?? "",
    operation: call.operation,
    method: call.method,
    path_template: call.path_template,
    path: call.path,
    status: call.status,
    reason: call.reason,
    duration_ms: call.duration_ms ?? 0,
    request_body: bodyIn(call.request),
    response_body: bodyIn(call.response),
    answered_at: call.at,
  };
}

function bodyIn(part: unknown): unknown {
  return typeof part === "object" && part !== null && "body" in part ? part.body : null;
}

// Streams per client are limited. Decision D20
function replyStream<Event extends SandboxEvent>(options: EventStreamOptions<Event>): Reply | Refusal {
  const stream = openEventStream(options);
  if (!stream) return refuse("rate_limited", { cause: "client_streams", detail: "Close one of your streams first." });
  return { status: 200, headers: { "content-type": "text/event-stream" }, stream };
}

/** The sequence number in an event id; undefined for anything else. */
export function sequenceOf(id: string | undefined): number | undefined {
  // Up to 15 digits fit a number exactly.
  return /^\d{1,15}$/.test(id ?? "") ? Number(id) : undefined;
}

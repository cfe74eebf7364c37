import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import { eventPage, eventStream, sandboxEventKinds } from "../../../contract/sandbox-events.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { listEventsAfter, readEvents } from "../events/list-events.ts";
import { sequenceOf } from "./event-sequence.ts";
import { replyStream } from "./reply-stream.ts";

const eventId = z.string().check(z.regex(/^\d{1,15}$/, "Must be the id of an event."));

const eventQuery = z.strictObject({
  after: z.optional(eventId),
  before: z.optional(eventId),
  limit: z.optional(
    z.string().check(
      z.regex(/^[1-9]\d{0,3}$/, "Must be a whole number."),
      z.refine((text) => Number(text) <= limits.eventsPageMax, `Must be at most ${limits.eventsPageMax}.`),
    ),
  ),
  kind: z.optional(z.enum(sandboxEventKinds, "Must be a kind of event.")),
  join: z.optional(z.string().check(z.regex(/^[a-z]+:[\w-]{1,100}$/, "Must be a join of an event, as in `visit:…`."))),
});

const listEvents = defineRoute({
  operation: "listSandboxEvents",
  method: "GET",
  path: "/sandbox/events",
  who: "client",
  query: eventQuery,
  documentation: {
    summary: "List what the service saw",
    description: `Calls of the API, steps of people on the authorization pages, calls of your customer endpoint, attempts at webhooks, and calls of the sandbox that changed something: the last ${limits.eventsKeptMax} of this client, a page of them oldest first. \`after\` reads on from an event, \`before\` backwards; without either it is the newest page. \`join\` finds what belongs together. A secret is told by its fingerprint only.`,
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
    summary: "Follow what the service sees",
    description: `Server-sent events: each \`data\` is one event as the list shows it, each \`id\` is what \`last-event-id\`, or else \`after\`, continues after. Without either it begins with the oldest that is kept. A client has ${limits.eventStreamsMax} streams at most.`,
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

/** What the service saw of the client, as pages and as a stream. Decision D20 */
export const sandboxEventRoutes: Route[] = [listEvents, streamEvents];

import { limits } from "../../../contract/limits.ts";
import {
  type CallEvent,
  eventStream,
  type RequestList,
  type RequestRecord,
  requestList,
} from "../../../contract/sandbox-events.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { findStartOfRequests, listRequests, listRequestsAfter } from "../events/list-events.ts";
import { sequenceOf } from "./event-sequence.ts";
import { replyStream } from "./reply-stream.ts";

const listRequestsRoute = defineRoute({
  operation: "listSandboxRequests",
  method: "GET",
  path: "/sandbox/requests",
  who: "client",
  documentation: {
    summary: "List the last API requests",
    description: `The last ${limits.requestsKeptMax} of this client, newest first. Social security numbers, dates of birth, addresses, tokens, codes and secrets are redacted.`,
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
    summary: "Follow the API requests",
    description:
      "Server-sent events: each `data` is one request as the list shows it, each `id` is what `last-event-id` continues after.",
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

/** The last API requests of the client, as a list and as a stream. Decision D16 */
export const sandboxRequestRoutes: Route[] = [listRequestsRoute, streamRequestsRoute];

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

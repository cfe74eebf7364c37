import { limits } from "../../../contract/limits.ts";
import { eventStream, type RequestList, type RequestRecord, requestList } from "../../../contract/sandbox-requests.ts";
import { type ApiRequest, listRequests } from "../../sandbox/list-requests.ts";
import { logRequest } from "../../sandbox/request-log.ts";
import { openRequestStream } from "../../sandbox/request-stream.ts";
import type { AnsweredRequest } from "../frame/answer-request.ts";
import { defineRoute, type Route } from "../frame/define-route.ts";

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
  handle: ({ caller: { client }, lastEventId = "" }) => ({
    status: 200,
    headers: { "content-type": "text/event-stream" },
    stream: openRequestStream({
      clientId: client.id,
      // Up to 15 digits are a whole number exactly; anything else is no id, and the stream starts with the oldest request.
      afterSequence: /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0,
      present: presentRequest,
    }),
  }),
});

/** The last API requests of the client, as a list and as a stream. Decision D16 */
export const sandboxRequestRoutes: Route[] = [listRequestsRoute, streamRequestsRoute];

/** Who watches a route for the sandbox's log: nobody where it is below /sandbox itself, since looking would fill the log. */
export function observerOf(route: Route): ((answered: AnsweredRequest) => void) | undefined {
  if (route.path.startsWith("/sandbox/")) return undefined;
  const pathTemplate = route.path.replaceAll(/:(\w+)/g, "{$1}");
  return ({ clientId, operation, reason, ...answered }) => {
    if (clientId === undefined) return;
    logRequest({
      ...answered,
      clientId,
      operation: operation ?? route.operation,
      pathTemplate,
      reason: reason ?? null,
    });
  };
}

function presentRequest(request: ApiRequest): RequestRecord {
  return {
    id: String(request.sequence),
    request_id: request.requestId,
    trace_id: request.traceId,
    operation: request.operation,
    method: request.method,
    path_template: request.pathTemplate,
    path: request.path,
    status: request.status,
    reason: request.reason,
    duration_ms: request.durationMs,
    request_body: request.requestBody,
    response_body: request.responseBody,
    answered_at: request.answeredRealAt.toISOString(),
  };
}

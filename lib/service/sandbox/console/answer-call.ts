import * as z from "zod/mini";
import { type ConsoleClient, isOwnRequest, readConsoleClientOf } from "./console-session.ts";
import { callService } from "./read.ts";

// Plain segments only, so that no path leaves /sandbox.
const sandboxPath = /^\/sandbox(\/[\w-]+)+$/;

const callRequest = z.object({
  method: z.enum(["POST", "PUT", "DELETE"]),
  path: z.string().check(z.regex(sandboxPath)),
  body: z.optional(z.unknown()),
  /** The client of the page. */
  client_id: z.string(),
});

/**
 * Makes a sandbox call for the signed-in client, and returns its status and body. 400 outside the sandbox, 401 when signed out,
 * 403 from another site, 409 from another client's page, 504 (never used by the service) without a response.
 */
export async function answerCall(request: Request): Promise<Response> {
  if (!isOwnRequest(request)) return jsonAnswer(403);
  const client = await readConsoleClientOf(request);
  if (!client) return jsonAnswer(401);
  const parsed = callRequest.safeParse(await request.json().catch(() => undefined));
  if (!parsed.success) return jsonAnswer(400);
  const { method, path, body, client_id: clientOfPage } = parsed.data;
  if (clientOfPage !== client.clientId) return jsonAnswer(409, otherClient);
  try {
    const answer = await callService(client, path, {
      method,
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    return jsonAnswer(answer.status, await answer.text());
  } catch {
    return jsonAnswer(504);
  }
}

const otherClient = JSON.stringify({
  description: "This page belongs to a different client than the one you’re signed in as. Reload the page.",
});

function jsonAnswer(status: number, body: Response["body"] | string = "null"): Response {
  return new Response(body, { status, headers: { "content-type": "application/json", "cache-control": "no-store" } });
}

export async function answerEvents(request: Request): Promise<Response> {
  const eventsRequest = await readEventsRequest(request);
  if (eventsRequest instanceof Response) return eventsRequest;
  const answer = await callService(eventsRequest.client, `/sandbox/events?${eventsRequest.query}`);
  return jsonAnswer(answer.status, answer.body);
}

export async function answerEventStream(request: Request): Promise<Response> {
  // Next calls GET handlers for HEAD too, and never ends the stream then.
  if (request.method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET" } });
  const eventsRequest = await readEventsRequest(request);
  if (eventsRequest instanceof Response) return eventsRequest;
  const lastEventId = request.headers.get("last-event-id");
  const answer = await callService(eventsRequest.client, `/sandbox/events/stream?${eventsRequest.query}`, {
    signal: request.signal,
    ...(lastEventId !== null && { headers: { "last-event-id": lastEventId } }),
  });
  return new Response(answer.body, {
    status: answer.status,
    headers: {
      "content-type": "text/event-stream",
      // Compression would buffer the stream. The last header is for nginx.
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

/** The signed-in client and the service's query. 409 if the page that asks belongs to another client. */
async function readEventsRequest(
  request: Request,
): Promise<{ client: ConsoleClient; query: URLSearchParams } | Response> {
  const client = await readConsoleClientOf(request);
  if (!client) return signedOut();
  const query = new URL(request.url).searchParams;
  const clientOfPage = query.get("client");
  query.delete("client");
  return clientOfPage === null || clientOfPage === client.clientId ? { client, query } : jsonAnswer(409, otherClient);
}

function signedOut(): Response {
  return new Response(null, { status: 401, headers: { "cache-control": "no-store" } });
}

import { callService } from "./call-service.ts";
import { readConsoleClientOf } from "./console-session.ts";

/** A page of the signed-in client's events, as `GET /sandbox/events` answers it. */
export async function answerEvents(request: Request): Promise<Response> {
  const client = await readConsoleClientOf(request);
  if (!client) return signedOut();
  const answer = await callService(client, `/sandbox/events${new URL(request.url).search}`);
  return new Response(answer.body, {
    status: answer.status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

/** The signed-in client's events as they happen, as `GET /sandbox/events/stream` sends them. */
export async function answerEventStream(request: Request): Promise<Response> {
  const client = await readConsoleClientOf(request);
  if (!client) return signedOut();
  const lastEventId = request.headers.get("last-event-id");
  const answer = await callService(client, `/sandbox/events/stream${new URL(request.url).search}`, {
    signal: request.signal,
    ...(lastEventId !== null && { headers: { "last-event-id": lastEventId } }),
  });
  return new Response(answer.body, {
    status: answer.status,
    headers: {
      "content-type": "text/event-stream",
      // A compressed stream would be held back until there is enough to compress. The last is for nginx.
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

function signedOut(): Response {
  return new Response(null, { status: 401, headers: { "cache-control": "no-store" } });
}

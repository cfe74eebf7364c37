import { positionParameter } from "#lib/partner/live/live-event.ts";
import { liveStreams, type StreamRefusal } from "#lib/partner/live/live-streams.ts";
import { findSignedIn } from "#lib/partner/people/session.ts";

// "no-transform", and the header for nginx, because compression and buffering would delay events.
const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

const refusals: Record<StreamRefusal, { status: number; text: string }> = {
  too_many_of_person: { status: 429, text: "You have too many pages open. This one updates by polling instead." },
  too_many: { status: 503, text: "The server has too many open streams. This page updates by polling instead." },
  stopping: { status: 503, text: "The server is shutting down." },
};

export async function GET({ method, url }: Request): Promise<Response> {
  // Next also calls GET for HEAD.
  if (method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET" } });
  const signedIn = await findSignedIn();
  if (!signedIn) return new Response(null, { status: 401, headers: { "cache-control": "no-store" } });
  const opened = liveStreams().open(signedIn, new URL(url).searchParams.get(positionParameter));
  if (opened.kind === "open") return new Response(opened.body, { headers });
  const { status, text } = refusals[opened.kind];
  return new Response(text, { status, headers: { "cache-control": "no-store", "retry-after": "30" } });
}

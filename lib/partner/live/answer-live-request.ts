import { findSignedIn } from "../people/session.ts";
import { liveStreams, type StreamRefusal } from "./live-streams.ts";

// "no-transform": a compressed stream would be held back until there is enough to compress. The last is for nginx.
const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

const refusals: Record<StreamRefusal, { status: number; text: string }> = {
  too_many_of_person: { status: 429, text: "Too many pages of yours are open; this one asks again by itself." },
  too_many: { status: 503, text: "Too many pages are open here; this one asks again by itself." },
  stopping: { status: 503, text: "This server is stopping." },
};

/** Opens the stream of whoever is signed in; 401 for nobody. Asked with another method than GET, it opens none. */
export async function answerLiveRequest({ method }: Request): Promise<Response> {
  if (method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET" } });
  const signedIn = await findSignedIn();
  if (!signedIn) return new Response(null, { status: 401, headers: { "cache-control": "no-store" } });
  const opened = liveStreams().open(signedIn);
  if (opened.kind === "open") return new Response(opened.body, { headers });
  const { status, text } = refusals[opened.kind];
  return new Response(text, { status, headers: { "cache-control": "no-store", "retry-after": "30" } });
}

import { startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import { type ApiRequest, listApiRequestsAfter } from "../storage/api-requests.ts";
import { channels, listenOn } from "../storage/channels.ts";
import { flushRequestLog } from "./request-log.ts";

/** Whose requests to send, from where on, and in which form. */
export type RequestStreamOptions = {
  clientId: string;
  /** The sequence of the last request that the reader has seen; 0 begins with the oldest that is kept. */
  afterSequence: number;
  /** Writes one request as the data of an event. */
  present: (request: ApiRequest) => unknown;
};

// How soon a reader that loses the stream is to come back, and how often a quiet stream sends a sign of life.
const retryMs = 1000;
const heartbeatMs = 15_000;

// Those who wait for new requests in this process; they share one connection that listens.
let sleepers = new Set<() => void>();
let notifications = 0;
let loop: WakeLoop | undefined;
const stopping = new AbortController();

/**
 * A client's requests as server-sent events, oldest first, then each as it is answered, by whatever process. The id of an
 * event is its sequence, so a reader that comes back with its Last-Event-ID misses none that is still kept.
 */
export function openRequestStream({ clientId, afterSequence, present }: RequestStreamOptions) {
  const encoder = new TextEncoder();
  const leaving = new AbortController();
  const isOver = AbortSignal.any([leaving.signal, stopping.signal]);
  let seen = afterSequence;
  loop ??= startWakeLoop({
    name: "request stream",
    listen: listenOn(channels.apiRequests),
    work: wakeAll,
    pollMs: heartbeatMs,
  });

  async function nextText(): Promise<string | undefined> {
    while (!isOver.aborted) {
      const before = notifications;
      const requests = await listApiRequestsAfter(clientId, seen);
      seen = requests.at(-1)?.sequence ?? seen;
      if (requests.length > 0) return requests.map((request) => eventText(request, present)).join("");
      // What was written while this was reading is not missed.
      if (before === notifications && (await sleep(isOver)) === "heartbeat") return ": still here\n\n";
    }
    return undefined;
  }

  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`)),
    pull: async (controller) => {
      const text = await nextText();
      if (text !== undefined) controller.enqueue(encoder.encode(text));
      else if (!leaving.signal.aborted) controller.close();
    },
    cancel: () => leaving.abort(),
  });
}

/** Ends every stream of this process after sending what it still holds. For a stop: no stream is opened afterwards. */
export async function stopRequestStreams(): Promise<void> {
  stopping.abort();
  await Promise.all([loop?.stop(), flushRequestLog()]);
}

async function wakeAll(): Promise<undefined> {
  notifications++;
  const woken = sleepers;
  sleepers = new Set();
  for (const wake of woken) wake();
}

function sleep(isOver: AbortSignal): Promise<"woken" | "heartbeat"> {
  return new Promise((resolve) => {
    if (isOver.aborted) return resolve("woken");
    const timer = setTimeout(() => end("heartbeat"), heartbeatMs);
    const wake = () => end("woken");
    function end(how: "woken" | "heartbeat"): void {
      clearTimeout(timer);
      sleepers.delete(wake);
      isOver.removeEventListener("abort", wake);
      resolve(how);
    }
    sleepers.add(wake);
    isOver.addEventListener("abort", wake);
  });
}

function eventText(request: ApiRequest, present: (request: ApiRequest) => unknown): string {
  return `id: ${request.sequence}\nevent: request\ndata: ${JSON.stringify(present(request))}\n\n`;
}

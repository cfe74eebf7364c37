import type { SandboxEvent } from "../../../contract/sandbox-events.ts";
import { startWakeLoop, type WakeLoop } from "../../../kit/wake-loop.ts";
import { channels, listenOn } from "../../storage/channels.ts";
import { flushEventLog } from "./event-log.ts";

/** Which events to send, from where on, and in which form. */
export type EventStreamOptions<Event extends SandboxEvent> = {
  /** The name of each server-sent event. */
  name: string;
  /** The next events after this one, oldest first; none when there are none yet. */
  readAfter: (sequence: number) => Promise<Event[]>;
  /** The id of the last event that the reader has seen; 0 begins with the oldest that is read. */
  afterSequence: number;
  /** What is shown of one event. */
  present: (event: Event) => unknown;
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
 * Events as server-sent events, oldest first, then each as it is written down, by whatever process. The id of each is its
 * sequence, so a reader that comes back with its Last-Event-ID misses none that is still kept.
 */
export function openEventStream<Event extends SandboxEvent>(options: EventStreamOptions<Event>) {
  const { readAfter, afterSequence } = options;
  const encoder = new TextEncoder();
  const leaving = new AbortController();
  const isOver = AbortSignal.any([leaving.signal, stopping.signal]);
  let seen = afterSequence;
  loop ??= startWakeLoop({
    name: "event stream",
    listen: listenOn(channels.sandboxEvents),
    work: wakeAll,
    pollMs: heartbeatMs,
  });

  async function nextText(): Promise<string | undefined> {
    while (!isOver.aborted) {
      const before = notifications;
      const events = await readAfter(seen);
      seen = Number(events.at(-1)?.id ?? seen);
      if (events.length > 0) return events.map((event) => textOf(event, options)).join("");
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
export async function stopEventStreams(): Promise<void> {
  stopping.abort();
  await Promise.all([loop?.stop(), flushEventLog()]);
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

function textOf<Event extends SandboxEvent>(event: Event, { name, present }: EventStreamOptions<Event>): string {
  return `id: ${event.id}\nevent: ${name}\ndata: ${JSON.stringify(present(event))}\n\n`;
}

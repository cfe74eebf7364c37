import { limits } from "../../../contract/limits.ts";
import type { SandboxEvent } from "../../../contract/sandbox-events.ts";
import { keepListening } from "../../../kit/wake-loop.ts";
import { channels, listenOn } from "../../storage/channels.ts";
import { flushEventLog } from "./event-log.ts";

/** Which events to send, from where on, and in which form. */
export type EventStreamOptions<Event extends SandboxEvent> = {
  clientId: string;
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

// The streams of this process, by client; they share one connection that listens.
const streams = new Map<string, Set<Stream>>();
let listener: { stop: () => Promise<void> } | undefined;
const stopping = new AbortController();

/** An open stream: how often it was notified, and how to wake it while it sleeps. */
type Stream = { notifications: number; wake: () => void };

/**
 * Events as server-sent events, oldest first, then each as it is written down, by whatever process. The id of each is its
 * sequence, so a reader that comes back with its Last-Event-ID misses none that is still kept. A page is read only when the
 * reader has taken the one before. Undefined when the client has as many streams of this process as it may have.
 */
export function openEventStream<Event extends SandboxEvent>(options: EventStreamOptions<Event>) {
  const { clientId, readAfter, afterSequence } = options;
  const own = streams.get(clientId) ?? new Set();
  if (own.size >= limits.eventStreamsMax) return undefined;
  const stream: Stream = { notifications: 0, wake: () => {} };
  streams.set(clientId, own.add(stream));
  const encoder = new TextEncoder();
  const leaving = new AbortController();
  const isOver = AbortSignal.any([leaving.signal, stopping.signal]);
  let seen = afterSequence;
  listener ??= keepListening(
    { name: "event stream", ...listenOn(channels.sandboxEvents) },
    { onConnect: () => [...streams.keys()].forEach(notify), onNotify: notify },
  );

  function end(): void {
    own.delete(stream);
    if (own.size === 0 && streams.get(clientId) === own) streams.delete(clientId);
  }

  async function nextText(): Promise<string | undefined> {
    while (!isOver.aborted) {
      const before = stream.notifications;
      const events = await readAfter(seen);
      seen = Number(events.at(-1)?.id ?? seen);
      if (events.length > 0) return events.map((event) => textOf(event, options)).join("");
      // What was written while this was reading is not missed.
      if (before === stream.notifications && (await sleep(stream, isOver)) === "heartbeat") return ": still here\n\n";
    }
    return undefined;
  }

  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`)),
    pull: async (controller) => {
      try {
        const text = await nextText();
        if (text !== undefined) return controller.enqueue(encoder.encode(text));
        if (!leaving.signal.aborted) controller.close();
        end();
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel: () => {
      leaving.abort();
      end();
    },
  });
}

/** Ends every stream of this process after sending what it still holds. For a stop: no stream is opened afterwards. */
export async function stopEventStreams(): Promise<void> {
  stopping.abort();
  await Promise.all([listener?.stop(), flushEventLog()]);
}

function notify(clientId: string): void {
  for (const stream of streams.get(clientId) ?? []) {
    stream.notifications++;
    stream.wake();
  }
}

function sleep(stream: Stream, isOver: AbortSignal): Promise<"woken" | "heartbeat"> {
  return new Promise((resolve) => {
    if (isOver.aborted) return resolve("woken");
    const timer = setTimeout(() => end("heartbeat"), heartbeatMs);
    const wake = () => end("woken");
    function end(how: "woken" | "heartbeat"): void {
      clearTimeout(timer);
      stream.wake = () => {};
      isOver.removeEventListener("abort", wake);
      resolve(how);
    }
    stream.wake = wake;
    isOver.addEventListener("abort", wake);
  });
}

function textOf<Event extends SandboxEvent>(event: Event, { name, present }: EventStreamOptions<Event>): string {
  return `id: ${event.id}\nevent: ${name}\ndata: ${JSON.stringify(present(event))}\n\n`;
}

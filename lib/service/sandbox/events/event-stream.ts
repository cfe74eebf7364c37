import { limits } from "../../../contract/limits.ts";
import type { SandboxEvent } from "../../../contract/sandbox-events.ts";
import { keepListening } from "../../../kit/wake-loop.ts";
import { type Cell, currentCell, inCell } from "../../cells.ts";
import { channels, listenOn } from "../../storage/channels.ts";
import { findNewestSequence } from "../storage/events.ts";
import { flushEventLog } from "./event-log.ts";

export type EventStreamOptions<Event extends SandboxEvent> = {
  clientId: string;
  name: string;
  readAfter: (sequence: number) => Promise<Event[]>;
  /** The reader's last sequence; 0 for the beginning. */
  afterSequence: number;
  present: (event: Event) => unknown;
};

// The reconnect delay, and the keepalive interval.
const retryMs = 1000;
const heartbeatMs = 15_000;

// This process's streams by client; those of a cell share one LISTEN connection.
const streams = new Map<string, Set<Stream>>();
const listeners = new Map<Cell, { stop: () => Promise<void> }>();
const stopping = new AbortController();

type Stream = { notifications: number; wake: () => void };

/**
 * Server-sent events, oldest first, then live from any process. Ids are sequences, so Last-Event-ID resumes without gaps. Reads
 * the next page only when the reader has consumed the last one. Undefined at the client's stream limit for this process.
 */
export function openEventStream<Event extends SandboxEvent>(options: EventStreamOptions<Event>) {
  const { clientId, readAfter, afterSequence } = options;
  const clientStreams = streams.get(clientId) ?? new Set();
  if (clientStreams.size >= limits.eventStreamsMax) return undefined;
  const cell = currentCell();
  const stream: Stream = { notifications: 0, wake: () => {} };
  streams.set(clientId, clientStreams.add(stream));
  const encoder = new TextEncoder();
  const leaving = new AbortController();
  const isOver = AbortSignal.any([leaving.signal, stopping.signal]);
  let seen = afterSequence;
  if (!listeners.has(cell)) {
    const onConnect = () => [...streams.keys()].forEach(notify);
    const listening = { name: "event stream", ...listenOn(channels.sandboxEvents) };
    listeners.set(cell, keepListening(listening, { onConnect, onNotify: notify }));
  }

  function end(): void {
    clientStreams.delete(stream);
    if (clientStreams.size === 0 && streams.get(clientId) === clientStreams) streams.delete(clientId);
  }

  async function nextText(): Promise<string | undefined> {
    while (!isOver.aborted) {
      const before = stream.notifications;
      const events = await inCell(cell, () => readAfter(seen));
      seen = Number(events.at(-1)?.id ?? seen);
      if (events.length > 0) return events.map((event) => textOf(event, options)).join("");
      // A restored record may end before the reader's last event.
      seen = Math.min(seen, await inCell(cell, () => findNewestSequence(clientId)));
      // Catches events written during the read.
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

/** For shutdown: flushes and ends every stream, and opens no new ones. */
export async function stopEventStreams(): Promise<void> {
  stopping.abort();
  await Promise.all([...[...listeners.values()].map((listener) => listener.stop()), flushEventLog()]);
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

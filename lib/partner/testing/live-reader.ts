import type { LiveEvent } from "../live/live-event.ts";

/** Reads a stream like a page. */
export type LiveReader = {
  /** The next event other than a heartbeat; undefined once the stream has ended. */
  next: () => Promise<LiveEvent | undefined>;
  /** Disconnects, like a closed tab. */
  leave: () => Promise<void>;
};

/** A reader of an open stream's body. */
export function readLive(body: ReadableStream<Uint8Array>): LiveReader {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";

  async function nextMessage(): Promise<LiveEvent | undefined> {
    while (!text.includes("\n\n")) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      text += decoder.decode(value, { stream: true });
    }
    const end = text.indexOf("\n\n");
    const message = text.slice("data: ".length, end);
    text = text.slice(end + 2);
    return JSON.parse(message);
  }

  async function next(): Promise<LiveEvent | undefined> {
    const event = await nextMessage();
    return event?.kind === "beat" ? next() : event;
  }

  return { next, leave: () => reader.cancel() };
}

import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";

const openAgainMs = 2_000;

/** What a page does with the stream of events: each event as it comes, and whether the stream is there. */
export type EventsFollower = { event: (event: SandboxEvent) => void; live: (isLive: boolean) => void };

/**
 * Follows a client's events from the one after `after`; returns how to end that. A browser opens a stream again by itself after
 * a connection that broke, but not after an answer that is none (a proxy's 502): then it is reopened where it broke off.
 */
export function followEvents(after: string, { event, live }: EventsFollower): () => void {
  let lastId = after;
  let stream: EventSource;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  function open(): void {
    stream = new EventSource(`/console/events/stream?after=${lastId}`);
    stream.addEventListener("open", () => live(true));
    stream.addEventListener("error", () => {
      live(false);
      if (stream.readyState === EventSource.CLOSED) waiting = setTimeout(open, openAgainMs);
    });
    stream.addEventListener("event", ({ data, lastEventId }) => {
      lastId = lastEventId;
      event(JSON.parse(data));
    });
  }

  open();
  return () => {
    clearTimeout(waiting);
    stream.close();
  };
}

import { useEffect, useRef, useState } from "react";
import type { EventPage, SandboxEvent } from "#lib/contract/sandbox-events.ts";

export type HeldEvents = {
  events: SandboxEvent[];
  hasEarlier: boolean;
  /** Events held back while paused. */
  waiting: number;
  isPaused: boolean;
  isLive: boolean;
  pause: (isPaused: boolean) => void;
  loadEarlier: () => Promise<void>;
};

// Batched: rendering is the expensive part.
const showEveryMs = 100;
const earlierAtOnce = 1000;

/** Loads a client's events and follows new ones over a stream that resumes after a disconnect. */
export function useEvents(firstPage: EventPage, clientId: string): HeldEvents {
  const [events, setEvents] = useState(firstPage.events);
  const [hasEarlier, setHasEarlier] = useState(firstPage.earlier_exist);
  const [isPaused, setIsPaused] = useState(false);
  const [isLive, setIsLive] = useState(false);
  const [waiting, setWaiting] = useState(0);
  const arrived = useRef<SandboxEvent[]>([]);
  const paused = useRef(false);
  const isLoading = useRef(false);
  const lastId = firstPage.events.at(-1)?.id ?? "0";

  useEffect(() => {
    const follower = { event: (event: SandboxEvent) => arrived.current.push(event), live: setIsLive };
    const stop = followEvents(lastId, follower, clientId);
    const timer = setInterval(() => {
      if (paused.current) return setWaiting(arrived.current.length);
      const added = arrived.current.splice(0);
      if (added.length > 0) setEvents((held) => [...held, ...added]);
    }, showEveryMs);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [lastId, clientId]);

  function pause(shouldPause: boolean): void {
    paused.current = shouldPause;
    setIsPaused(shouldPause);
    setWaiting(0);
  }

  async function loadEarlier(): Promise<void> {
    // A second click would load the same page.
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      const query = { limit: String(earlierAtOnce), before: events[0]?.id ?? "", client: clientId };
      const answer = await fetch(`/console/events?${new URLSearchParams(query)}`);
      if (!answer.ok) return;
      const page = (await answer.json()) as EventPage;
      setEvents((held) => [...page.events, ...held]);
      setHasEarlier(page.earlier_exist);
    } finally {
      isLoading.current = false;
    }
  }

  return { events, hasEarlier, waiting, isPaused, isLive, pause, loadEarlier };
}

const joinedMax = 1000;

/** Prepends older events of one join, fetched from the service, to the loaded ones. */
export function useJoined(events: SandboxEvent[], join: string, clientId: string): SandboxEvent[] {
  const [found, setFound] = useState<{ join: string; events: SandboxEvent[] }>();
  const before = events[0]?.id ?? "";
  const isHeld = !join || (found?.join === join && found.events.every(({ id }) => Number(id) < Number(before)));

  useEffect(() => {
    if (!join || !before) return;
    const leaving = new AbortController();
    const query = new URLSearchParams({ join, before, limit: String(joinedMax), client: clientId });
    fetch(`/console/events?${query}`, { signal: leaving.signal })
      .then(async (answer) => {
        if (answer.ok) setFound({ join, events: ((await answer.json()) as EventPage).events });
      })
      // Fall back to the loaded events.
      .catch(() => undefined);
    return () => leaving.abort();
  }, [join, before, clientId]);

  return join && isHeld && found ? [...found.events, ...events] : events;
}

const openAgainMs = 2_000;

/** Stream callbacks: each event, and connection changes. */
export type EventsFollower = { event: (event: SandboxEvent) => void; live: (isLive: boolean) => void };

/**
 * Streams a client's events after `after`; returns a stop function. Browsers reconnect after a dropped connection, but not
 * after an error response such as a proxy's 502, so the stream is reopened here. With a `clientId`, it stays closed while
 * another client is signed in.
 */
export function followEvents(after: string, { event, live }: EventsFollower, clientId?: string): () => void {
  let lastId = after;
  let stream: EventSource;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  function open(): void {
    const query = new URLSearchParams({ after: lastId, ...(clientId !== undefined && { client: clientId }) });
    stream = new EventSource(`/console/events/stream?${query}`);
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

import { useEffect, useRef, useState } from "react";
import { limits } from "#lib/contract/limits.ts";
import type { EventPage, SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { refusalText } from "./calls/make-call.ts";

type Held = { events: SandboxEvent[]; hasEarlier: boolean };

export type HeldEvents = Held & {
  /** Events held back while paused. */
  waiting: number;
  isPaused: boolean;
  isLive: boolean;
  /** Why the page can't be live until it's reloaded. */
  refusal: string | undefined;
  pause: (isPaused: boolean) => void;
  loadEarlier: () => Promise<void>;
  /** The last call of `loadEarlier` failed. */
  loadFailed: boolean;
};

// Batched: rendering is the expensive part.
const showEveryMs = 100;
const earlierAtOnce = 1000;
// Cut a twentieth at once, because a filter for one id then fetches its earlier events again.
const heldMax = limits.storedEventsMax * 1.05;

/** Loads a client's events, as many as the service keeps, and follows new ones over a stream that resumes after a disconnect. */
export function useEvents(firstPage: EventPage, clientId: string): HeldEvents {
  const [held, setHeld] = useState<Held>({ events: firstPage.events, hasEarlier: firstPage.earlier_exist });
  const [loadFailed, setLoadFailed] = useState(false);
  const [isPaused, setIsPaused] = useState(false);
  const [isLive, setIsLive] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [waiting, setWaiting] = useState(0);
  const arrived = useRef<SandboxEvent[]>([]);
  const paused = useRef(false);
  const isLoading = useRef(false);
  const lastId = firstPage.events.at(-1)?.id ?? "0";

  useEffect(() => {
    const event = (next: SandboxEvent) => {
      arrived.current.push(next);
      // One more than are held, so that `append` cuts.
      if (arrived.current.length > heldMax + 1) arrived.current.shift();
    };
    // Reloading a signed-out page leads to the sign-in form.
    const refused = async (answer: Response) =>
      answer.status === 401 ? window.location.reload() : setRefusal(refusalText(await answer.json()));
    const follower = { event, live: setIsLive, refused };
    const stop = followEvents(lastId, follower, clientId);
    const timer = setInterval(() => {
      if (paused.current) return setWaiting(arrived.current.length);
      const added = arrived.current.splice(0);
      if (added.length > 0) setHeld((current) => append(current, added));
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
    const before = held.events[0]?.id ?? "";
    const page = await fetchEarlier(before, clientId);
    isLoading.current = false;
    setLoadFailed(!page);
    if (!page) return;
    // Events dropped since would leave a gap.
    setHeld((current) =>
      current.events[0]?.id === before
        ? { events: [...page.events, ...current.events], hasEarlier: page.earlier_exist }
        : current,
    );
  }

  return { ...held, waiting, isPaused, isLive, refusal, pause, loadEarlier, loadFailed };
}

/** The page of events before the given one; undefined if the call failed. */
export async function fetchEarlier(before: string, clientId: string): Promise<EventPage | undefined> {
  const query = new URLSearchParams({ limit: String(earlierAtOnce), before, client: clientId });
  try {
    const answer = await fetch(`/console/events?${query}`);
    return answer.ok ? ((await answer.json()) as EventPage) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * New events after those before them: a restored record gives the ids of lost events again. Beyond what the service keeps, the
 * oldest are dropped.
 */
export function append({ events, hasEarlier }: Held, added: SandboxEvent[]): Held {
  const firstId = Number(added[0]?.id);
  const all = [...events.filter(({ id }) => Number(id) < firstId), ...added];
  return all.length > heldMax
    ? { events: all.slice(-limits.storedEventsMax), hasEarlier: true }
    : { events: all, hasEarlier };
}

const joinedMax = 1000;

/** Whether events of a join that are older than the loaded ones are shown too: "cut" has only the newest of them. */
export type OlderOfJoin = "loading" | "failed" | "cut" | "shown";

type Joined = { events: SandboxEvent[]; older: OlderOfJoin };

/** Prepends older events of one join, fetched from the service, to the loaded ones. */
export function useJoined({ events, hasEarlier }: HeldEvents, join: string, clientId: string): Joined {
  // Without a page, the call failed.
  const [found, setFound] = useState<{ join: string; page?: EventPage }>();
  const before = hasEarlier && join ? (events[0]?.id ?? "") : "";

  useEffect(() => {
    if (!before) return;
    const leaving = new AbortController();
    const query = new URLSearchParams({ join, before, limit: String(joinedMax), client: clientId });
    fetch(`/console/events?${query}`, { signal: leaving.signal })
      .then(async (answer) => setFound({ join, ...(answer.ok && { page: (await answer.json()) as EventPage }) }))
      .catch(() => {
        if (!leaving.signal.aborted) setFound({ join });
      });
    return () => leaving.abort();
  }, [join, before, clientId]);

  if (!before) return { events, older: "shown" };
  if (found?.join !== join) return { events, older: "loading" };
  const { page } = found;
  if (!page) return { events, older: "failed" };
  // Loaded events may include the found ones by now.
  if (page.events.some(({ id }) => Number(id) >= Number(before))) return { events, older: "loading" };
  return { events: [...page.events, ...events], older: page.earlier_exist ? "cut" : "shown" };
}

const openAgainMs = 2_000;
const answerTimeoutMs = 10_000;

/** Stream callbacks: each event, connection changes, and the response if the console refuses this page. */
export type EventsFollower = {
  event: (event: SandboxEvent) => void;
  live: (isLive: boolean) => void;
  refused?: (answer: Response) => void;
};

/**
 * Streams a client's events after `after`; returns a stop function. Browsers reconnect after a dropped connection, but not
 * after an error response such as a proxy's 502, so the stream is reopened here. With a `clientId`, it stays closed while
 * another client is signed in.
 */
export function followEvents(after: string, { event, live, refused }: EventsFollower, clientId?: string): () => void {
  let lastId = after;
  let isStopped = false;
  let stream: EventSource;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  function open(): void {
    const query = new URLSearchParams({ after: lastId, ...(clientId !== undefined && { client: clientId }) });
    stream = new EventSource(`/console/events/stream?${query}`);
    stream.addEventListener("open", () => live(true));
    stream.addEventListener("error", () => {
      live(false);
      if (stream.readyState === EventSource.CLOSED) waiting = setTimeout(reopen, openAgainMs);
    });
    stream.addEventListener("event", ({ data, lastEventId }) => {
      lastId = lastEventId;
      event(JSON.parse(data));
    });
  }

  // A stream doesn't give the status of an error response.
  async function reopen(): Promise<void> {
    const refusal = refused && (await findRefusal(clientId));
    if (isStopped) return;
    if (refusal) refused(refusal);
    else open();
  }

  open();
  return () => {
    isStopped = true;
    clearTimeout(waiting);
    stream.close();
  };
}

/** The console's answer if this client isn't signed in. */
async function findRefusal(clientId: string | undefined): Promise<Response | undefined> {
  const query = new URLSearchParams({ limit: "1", ...(clientId !== undefined && { client: clientId }) });
  const signal = AbortSignal.timeout(answerTimeoutMs);
  const answer = await fetch(`/console/events?${query}`, { signal }).catch(() => undefined);
  return answer?.status === 401 || answer?.status === 409 ? answer : undefined;
}

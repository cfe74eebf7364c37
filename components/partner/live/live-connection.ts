import type { LiveEvent } from "#lib/partner/live/live-event.ts";

/** What the stream tells, or `refused`: it was answered with none, as when nobody is signed in any more. */
export type StreamEvent = LiveEvent | { kind: "refused" };

/** What a part of a page hears of its stream. */
export type LiveListener = {
  /** Whether every change is told now; asked with `isLive` at any time. */
  onLive: (isLive: boolean) => void;
  onEvent: (event: StreamEvent) => void;
};

// Twice what passes between two beats of the server, and some more.
const silentMsMax = 40_000;
const retryMs = { first: 500, max: 30_000 };
// Going on to another page of Harbor takes less.
const lingerMs = 1000;

const listeners = new Set<LiveListener>();
let source: EventSource | undefined;
let live = false;
let failures = 0;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let silenceTimer: ReturnType<typeof setTimeout> | undefined;
let lingerTimer: ReturnType<typeof setTimeout> | undefined;

/** Whether this tab is told every change now. Until it is, pages ask by themselves. */
export function isLive(): boolean {
  return live;
}

/**
 * Listens to the one stream of this tab, which is open while somebody listens and the tab is looked at: a browser has few
 * connections to one server, and tabs in the background would use them up. It comes back by itself after an error, a silence
 * (as after sleep), and at once when the tab is shown or the machine is online again. Returns how to stop.
 */
export function listenLive(listener: LiveListener): () => void {
  clearTimeout(lingerTimer);
  listeners.add(listener);
  if (listeners.size === 1 && !source) begin();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) lingerTimer = setTimeout(finish, lingerMs);
  };
}

function begin(): void {
  document.addEventListener("visibilitychange", connectNow);
  window.addEventListener("online", connectNow);
  window.addEventListener("offline", connectLater);
  connectNow();
}

function finish(): void {
  document.removeEventListener("visibilitychange", connectNow);
  window.removeEventListener("online", connectNow);
  window.removeEventListener("offline", connectLater);
  disconnect();
}

function connectNow(): void {
  failures = 0;
  connect();
}

function connect(): void {
  disconnect();
  if (document.visibilityState === "hidden") return;
  source = new EventSource("/live");
  source.onmessage = ({ data }) => hear(JSON.parse(data));
  source.onerror = () => {
    // Only the first time: a page that stays without a stream asks by itself.
    const isRefused = failures === 0 && source?.readyState === EventSource.CLOSED;
    connectLater();
    if (isRefused) tellAll({ kind: "refused" });
  };
  expectBeat();
}

// Some time apart, or all tabs would come back to a server that starts in the same moment.
function connectLater(): void {
  disconnect();
  const pauseMs = Math.min(retryMs.first * 2 ** failures++, retryMs.max);
  retryTimer = setTimeout(connect, pauseMs * (0.5 + Math.random()));
}

function disconnect(): void {
  source?.close();
  source = undefined;
  clearTimeout(retryTimer);
  clearTimeout(silenceTimer);
  setLive(false);
}

function hear(event: LiveEvent): void {
  expectBeat();
  if (event.kind === "beat") return;
  if (event.kind === "ready") failures = 0;
  if (event.kind === "session_ended") disconnect();
  else if (event.kind !== "changed") setLive(event.kind === "ready");
  tellAll(event);
}

function tellAll(event: StreamEvent): void {
  for (const { onEvent } of listeners) onEvent(event);
}

function expectBeat(): void {
  clearTimeout(silenceTimer);
  silenceTimer = setTimeout(connectNow, silentMsMax);
}

function setLive(now: boolean): void {
  if (live === now) return;
  live = now;
  for (const { onLive } of listeners) onLive(now);
}

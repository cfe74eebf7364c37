import { type LiveEvent, positionParameter } from "#lib/partner/live/live-event.ts";

/** `refused`: the stream couldn't be opened, for example after signing out. */
export type StreamEvent = LiveEvent | { kind: "refused" };

export type LiveListener = {
  onLive: (isLive: boolean) => void;
  onEvent: (event: StreamEvent) => void;
};

// More than two of the server's heartbeats.
const silentMsMax = 40_000;
const retryMs = { first: 500, max: 30_000 };
// Longer than navigating to another page of Harbor takes.
const lingerMs = 1000;

const listeners = new Set<LiveListener>();
let source: EventSource | undefined;
let live = false;
let wasReady = false;
let failures = 0;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let silenceTimer: ReturnType<typeof setTimeout> | undefined;
let lingerTimer: ReturnType<typeof setTimeout> | undefined;

/** Whether this tab receives every change; otherwise its pages poll. */
export function isLive(): boolean {
  return live;
}

/**
 * Listens to this tab's stream; returns an unsubscribe function. The stream is open only while the tab is visible:
 * browsers limit connections per server. It reconnects after errors and silence, and when the tab is shown or online.
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
  source = new EventSource(`/live${sincePosition()}`);
  let isOpened = false;
  source.onopen = () => {
    isOpened = true;
  };
  source.onmessage = ({ data }) => handle(JSON.parse(data));
  source.onerror = () => {
    // Only on the first failure, because pages poll from then on. Leaving the page closes a stream that was open.
    const isRefused = !isOpened && failures === 0 && source?.readyState === EventSource.CLOSED;
    connectLater();
    if (isRefused) notifyAll({ kind: "refused" });
  };
  expectBeat();
}

// The tab's first data was read after its document's position. After that, one refetch is cheaper than replaying every
// change since.
function sincePosition(): string {
  const { position } = document.documentElement.dataset;
  return position && !wasReady ? `?${new URLSearchParams({ [positionParameter]: position })}` : "";
}

// Jittered, so that tabs don't all reconnect to a starting server at once.
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

function handle(event: LiveEvent): void {
  expectBeat();
  if (event.kind === "beat") return;
  if (event.kind === "ready") {
    failures = 0;
    wasReady = true;
  }
  if (event.kind === "session_ended") disconnect();
  else if (event.kind !== "changed") setLive(event.kind === "ready");
  notifyAll(event);
}

function notifyAll(event: StreamEvent): void {
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

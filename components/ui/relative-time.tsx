"use client";

import { useSyncExternalStore } from "react";
import { exactUtc, relativeText } from "./relative-text.ts";

/**
 * An ISO 8601 instant: exact in UTC on the server and during hydration, then relative and ticking.
 */
export function RelativeTime({ at }: { at: string }) {
  const tick = useSyncExternalStore(subscribe, currentTick, () => undefined);
  const instant = new Date(at);
  const isValid = !Number.isNaN(instant.getTime());
  if (!isValid) return <span>unknown</span>;
  return (
    <time dateTime={instant.toISOString()} title={tick === undefined ? exactUtc(instant) : instant.toLocaleString()}>
      {tick === undefined ? exactUtc(instant) : relativeText(instant, tick * tickMs)}
    </time>
  );
}

const tickMs = 5_000;
// One timer per page.
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function currentTick(): number {
  // The next tick, so that recent events are in the past.
  return Math.ceil(Date.now() / tickMs);
}

"use client";

import { useSyncExternalStore } from "react";
import { exactUtc, relativeText } from "./relative-text.ts";

/**
 * An instant (ISO 8601) as people say it, the exact one on hover and for machines. The server and the first paint show
 * the exact time in UTC, so that both agree; the browser then speaks relatively and keeps up.
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
// One timer for all times on a page.
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
  // The tick to come, so that what happened during this one lies in the past.
  return Math.ceil(Date.now() / tickMs);
}

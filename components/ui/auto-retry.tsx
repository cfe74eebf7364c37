"use client";

import { useEffect } from "react";

const firstPauseMs = 2_000;
const longestPauseMs = 60_000;
const answerTimeoutMs = 10_000;

// Outside the component, so that repeated failures back off across remounts.
let pauseMs = firstPauseMs;
let lastTriedAt = 0;

/**
 * Retries once the server is ready: with pauses that double up to a minute, immediately when the network returns, and
 * only while the page is visible. Renders nothing.
 */
export function AutoRetry({ retry }: { retry: () => void }) {
  useEffect(() => retryOnceReady(retry), [retry]);
  return null;
}

/** Returns a stop function. */
export function retryOnceReady(retry: () => void): () => void {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout>;
  if (Date.now() - lastTriedAt > 2 * longestPauseMs) pauseMs = firstPauseMs;

  async function check() {
    clearTimeout(timer);
    lastTriedAt = Date.now();
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    const isReady = !document.hidden && (await isServerReady());
    if (isStopped) return;
    // Another check may have started meanwhile, when the connection came back.
    clearTimeout(timer);
    timer = setTimeout(check, pauseMs);
    if (isReady) retry();
  }
  timer = setTimeout(check, pauseMs);
  addEventListener("online", check);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    removeEventListener("online", check);
  };
}

async function isServerReady(): Promise<boolean> {
  const signal = AbortSignal.timeout(answerTimeoutMs);
  const answer = await fetch("/readyz", { cache: "no-store", signal }).catch(() => undefined);
  return answer?.ok ?? false;
}

"use client";

import { useEffect } from "react";

const firstPauseMs = 2_000;
const longestPauseMs = 60_000;

// Outside the component, so that repeated failures back off across remounts.
let pauseMs = firstPauseMs;
let lastTriedAt = 0;

/**
 * Retries once the server is ready: with pauses that double up to a minute, immediately when the network returns, and
 * only while the page is visible. Renders nothing.
 */
export function AutoRetry({ retry }: { retry: () => void }) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    if (Date.now() - lastTriedAt > 2 * longestPauseMs) pauseMs = firstPauseMs;

    async function check() {
      clearTimeout(timer);
      lastTriedAt = Date.now();
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      const isReady = !document.hidden && (await isServerReady());
      timer = setTimeout(check, pauseMs);
      if (isReady) retry();
    }
    timer = setTimeout(check, pauseMs);
    addEventListener("online", check);
    return () => {
      clearTimeout(timer);
      removeEventListener("online", check);
    };
  }, [retry]);

  return null;
}

async function isServerReady(): Promise<boolean> {
  const answer = await fetch("/readyz", { cache: "no-store" }).catch(() => undefined);
  return answer?.ok ?? false;
}

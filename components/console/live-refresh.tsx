"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { AutoRetry } from "#components/ui/auto-retry.tsx";
import { followEvents } from "./use-events.ts";

const throttleMs = 250;
// Some data changes without an event, such as settlements and expiries.
const atLeastEveryMs = 5_000;

/** Retries until the newest event is known and the page can go live. */
export function RefreshUntilLive() {
  const { refresh } = useRouter();
  return (
    <p role="status" className="text-sm text-ink-soft noscript:hidden">
      Not live
      <AutoRetry retry={refresh} />
    </p>
  );
}

/** Refreshes the page's data after each event, and every few seconds while visible. */
export function LiveRefresh({ lastEvent }: { lastEvent: string }) {
  const { refresh } = useRouter();
  const [isLive, setIsLive] = useState(false);
  // The stream starts here, even though refreshes already include later events.
  const [begin] = useState(lastEvent);

  useEffect(() => {
    let isThere = false;
    let pending: ReturnType<typeof setTimeout> | undefined;
    const refreshSoon = () => {
      pending ??= setTimeout(() => {
        pending = undefined;
        // If the service is down, Next's refresh would navigate to a browser error page.
        if (isThere) refresh();
      }, throttleMs);
    };
    const stop = followEvents(begin, {
      event: refreshSoon,
      live: (isLiveNow) => {
        isThere = isLiveNow;
        setIsLive(isLiveNow);
      },
    });
    const seldom = setInterval(() => {
      if (document.visibilityState === "visible") refreshSoon();
    }, atLeastEveryMs);
    return () => {
      stop();
      clearTimeout(pending);
      clearInterval(seldom);
    };
  }, [begin, refresh]);

  return (
    <p role="status" className="text-sm text-ink-soft noscript:hidden">
      {isLive ? "Live" : "Connecting"}
      {/* The service may only refuse this page's stream. */}
      {isLive ? null : <AutoRetry retry={refresh} />}
    </p>
  );
}

"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { RetryByItself } from "#components/ui/retry-by-itself.tsx";
import { followEvents } from "./use-events.ts";

const togetherMs = 250;
// Some of what a page shows changes without an event: money settles, a lifetime ends.
const atLeastEveryMs = 5_000;

/** Has the page read again where it does not know which event is the newest, and so cannot follow what comes after that. */
export function RefreshUntilLive() {
  const { refresh } = useRouter();
  return (
    <p role="status" className="text-sm text-ink-soft">
      Not live
      <RetryByItself retry={refresh} />
    </p>
  );
}

/** Reloads the page's data after each event of the stream, and every few seconds while the page is visible. */
export function LiveRefresh({ lastEvent }: { lastEvent: string }) {
  const { refresh } = useRouter();
  const [isLive, setIsLive] = useState(false);
  // Where the stream begins; a reload brings what the stream has announced.
  const [begin] = useState(lastEvent);

  useEffect(() => {
    let isThere = false;
    let together: ReturnType<typeof setTimeout> | undefined;
    const refreshSoon = () => {
      together ??= setTimeout(() => {
        together = undefined;
        // Without a stream the service may be gone, and Next would leave the page for one of the browser's own.
        if (isThere) refresh();
      }, togetherMs);
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
      clearTimeout(together);
      clearInterval(seldom);
    };
  }, [begin, refresh]);

  return (
    <p role="status" className="text-sm text-ink-soft">
      {isLive ? "Live" : "Connecting"}
    </p>
  );
}

"use client";

import { useEffect, useState } from "react";
import { leftOf } from "./left-of.ts";

/** How long it is until an instant, by the clock that showed `now` when the page was read; it counts on by itself. */
export function Countdown({ until, now }: { until: string; now: string }) {
  const [passed, setPassed] = useState({ since: now, ms: 0 });

  useEffect(() => {
    const readAt = Date.now();
    const timer = setInterval(() => setPassed({ since: now, ms: Date.now() - readAt }), 1_000);
    return () => clearInterval(timer);
  }, [now]);

  const passedMs = passed.since === now ? passed.ms : 0;
  return (
    <time dateTime={until} title={until} className="whitespace-nowrap tabular-nums">
      {leftOf(Date.parse(until) - Date.parse(now) - passedMs)}
    </time>
  );
}

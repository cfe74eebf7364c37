"use client";

import { useEffect, useState } from "react";

/** Counts down to `until` on a clock that read `now` at render time. */
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

const secondsOf = { day: 24 * 60 * 60, h: 60 * 60, min: 60 };

/** The remaining time in its two largest units, such as `9 days 3 h` or `4 min 9 s`; "ended" at zero. */
export function leftOf(ms: number): string {
  if (ms <= 0) return "ended";
  const seconds = Math.ceil(ms / 1000);
  const days = Math.floor(seconds / secondsOf.day);
  const hours = Math.floor((seconds % secondsOf.day) / secondsOf.h);
  const minutes = Math.floor((seconds % secondsOf.h) / secondsOf.min);
  if (days > 0) return `${days} ${days === 1 ? "day" : "days"} ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % secondsOf.min} s` : `${seconds} s`;
}

"use client";

import { useSyncExternalStore } from "react";

/**
 * An ISO 8601 instant with milliseconds: in UTC on the server and during hydration, then in local time.
 */
export function ExactTime({ at }: { at: string }) {
  const isBrowser = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>unknown</span>;
  return (
    <time dateTime={instant.toISOString()} title={instant.toISOString()} className="whitespace-nowrap tabular-nums">
      {exactText(instant, isBrowser ? {} : { timeZone: "UTC" })}
    </time>
  );
}

/**
 * Like `Mar 10, 12:00:00.123`, with the zone name if one is given.
 * @param timeZone defaults to the reader's own
 */
export function exactText(instant: Date, { timeZone }: { timeZone?: string } = {}): string {
  const day = instant.toLocaleDateString("en-US", { month: "short", day: "numeric", timeZone });
  const time = instant.toLocaleTimeString("en-US", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
    timeZone,
  });
  return `${day}, ${time}${timeZone ? ` ${timeZone}` : ""}`;
}

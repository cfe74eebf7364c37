"use client";

import { useSyncExternalStore } from "react";
import { exactText } from "./exact-text.ts";

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

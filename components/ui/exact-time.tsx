"use client";

import { useSyncExternalStore } from "react";
import { exactText } from "./exact-text.ts";

/**
 * An instant (ISO 8601) to the millisecond, where what matters is what came before what. The server and the first paint show
 * it in UTC, so that both agree; the browser then in its own time.
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

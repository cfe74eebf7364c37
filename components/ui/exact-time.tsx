"use client";

import { useSyncExternalStore } from "react";
import { dateText } from "./date-text.ts";
import { UiWord, useUiLocale } from "./ui-words.tsx";

/** An ISO 8601 instant with milliseconds: in UTC on the server and during hydration, then in local time. */
export function ExactTime({ at }: { at: string }) {
  return <Time at={at} textOf={exactText} />;
}

/** An ISO 8601 instant as a clock time: in UTC on the server and during hydration, then in local time. */
export function ClockTime({ at }: { at: string }) {
  return <Time at={at} textOf={(instant, zone) => clockText(instant, { ...zone, today: new Date() })} />;
}

/** Defaults to the reader's own zone, and English. */
type Zone = { timeZone?: string; locale?: string };

function Time({ at, textOf }: { at: string; textOf: (instant: Date, zone: Zone) => string }) {
  const isBrowser = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
  const locale = useUiLocale();
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime()))
    return (
      <span>
        <UiWord name="unknown" />
      </span>
    );
  return (
    <time dateTime={instant.toISOString()} title={instant.toISOString()} className="whitespace-nowrap tabular-nums">
      {textOf(instant, isBrowser ? { locale } : { locale, timeZone: "UTC" })}
    </time>
  );
}

/**
 * Like `2:41 PM`, or `Mar 10, 2:41 PM` if not `today`, with the zone name if one is given.
 * @param timeZone defaults to the reader's own
 */
export function clockText(instant: Date, { today, timeZone, locale = "en-US" }: Zone & { today: Date }): string {
  const dayOf = (time: Date) => dateText(time, locale, { month: "short", day: "numeric", timeZone });
  const time = dateText(instant, locale, { hour: "numeric", minute: "2-digit", timeZone });
  const day = dayOf(instant) === dayOf(today) ? "" : `${dayOf(instant)}, `;
  return `${day}${time}${timeZone ? ` ${timeZone}` : ""}`;
}

/**
 * Like `Mar 10, 12:00:00.123`, with the zone name if one is given.
 * @param timeZone defaults to the reader's own
 */
export function exactText(instant: Date, { timeZone, locale = "en-US" }: Zone = {}): string {
  const day = dateText(instant, locale, { month: "short", day: "numeric", timeZone });
  const time = dateText(instant, locale, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
    timeZone,
  });
  return `${day}, ${time}${timeZone ? ` ${timeZone}` : ""}`;
}

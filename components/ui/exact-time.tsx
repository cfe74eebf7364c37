"use client";

import { useSyncExternalStore } from "react";
import { dateText } from "./date-text.ts";
import { UiWord, useUiLocale } from "./ui-words.tsx";

/** An ISO 8601 instant with milliseconds: in UTC on the server and during hydration, then in local time. */
export function ExactTime({ at }: { at: string }) {
  return <Time at={at} textOf={(instant, zone) => exactText(instant, { ...zone, today: new Date() })} />;
}

/**
 * An ISO 8601 instant as a clock time: in UTC on the server and during hydration, then in local time.
 * @param isDated shows the date even if it's today, as on paper
 */
export function ClockTime({ at, isDated = false }: { at: string; isDated?: boolean }) {
  return <Time at={at} textOf={(instant, zone) => clockText(instant, { ...zone, today: new Date(), isDated })} />;
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

type Clock = Zone & { today: Date };

/**
 * Like `2:41 PM`, or `Mar 10, 2:41 PM` if not `today`, with the zone name if one is given.
 * @param timeZone defaults to the reader's own
 */
export function clockText(
  instant: Date,
  { today, timeZone, locale = "en-US", isDated = false }: Clock & { isDated?: boolean },
): string {
  const fullDay = (time: Date) => dateText(time, locale, { dateStyle: "medium", timeZone });
  const time = dateText(instant, locale, { hour: "numeric", minute: "2-digit", timeZone });
  const isToday = fullDay(instant) === fullDay(today);
  const day = isDated ? fullDay(instant) : isToday ? "" : dayText(instant, { today, timeZone, locale });
  return `${day && `${day}, `}${time}${timeZone ? ` ${timeZone}` : ""}`;
}

/**
 * Like `Mar 10, 12:00:00.123`, with the zone name if one is given.
 * @param timeZone defaults to the reader's own
 */
export function exactText(instant: Date, { today, timeZone, locale = "en-US" }: Clock): string {
  const day = dayText(instant, { today, timeZone, locale });
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

/** Like `Mar 10`, with the year if it isn't this one. */
function dayText(instant: Date, { today, timeZone, locale = "en-US" }: Clock): string {
  const yearOf = (time: Date) => dateText(time, locale, { year: "numeric", timeZone });
  return yearOf(instant) === yearOf(today)
    ? dateText(instant, locale, { month: "short", day: "numeric", timeZone })
    : dateText(instant, locale, { dateStyle: "medium", timeZone });
}

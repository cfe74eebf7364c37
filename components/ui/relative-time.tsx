"use client";

import { useSyncExternalStore } from "react";
import { dateText } from "./date-text.ts";
import { englishUiWords, type UiWords, useUiLocale, useUiWords } from "./ui-words.tsx";

/** An ISO 8601 instant: exact in UTC on the server and during hydration, then relative and ticking. */
export function RelativeTime({ at }: { at: string }) {
  const tick = useSyncExternalStore(subscribe, currentTick, () => undefined);
  const language = { locale: useUiLocale(), words: useUiWords() };
  const instant = new Date(at);
  const isValid = !Number.isNaN(instant.getTime());
  if (!isValid) return <span>{language.words.unknown}</span>;
  return (
    <time
      dateTime={instant.toISOString()}
      title={tick === undefined ? exactUtc(instant) : instant.toLocaleString(language.locale)}
    >
      {tick === undefined ? exactUtc(instant) : relativeText(instant, tick * tickMs, language)}
    </time>
  );
}

const tickMs = 5_000;
// One timer for the whole page.
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function currentTick(): number {
  // The next tick, so that recent events are in the past.
  return Math.ceil(Date.now() / tickMs);
}

type Language = { locale: string; words: UiWords };

const english: Language = { locale: "en-US", words: englishUiWords };

const units = [
  { unit: "second", ms: 1_000, below: 60_000 },
  { unit: "minute", ms: 60_000, below: 3_600_000 },
  { unit: "hour", ms: 3_600_000, below: 86_400_000 },
  { unit: "day", ms: 86_400_000, below: 30 * 86_400_000 },
] as const;

// Pages tick every five seconds and clocks differ, so anything more exact would be a guess.
const justNowMs = 10_000;

/** Relative time in words; beyond 30 days, the date in the reader's time zone. */
export function relativeText(instant: Date, nowMs: number, { locale, words }: Language = english): string {
  const differenceMs = instant.getTime() - nowMs;
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs < justNowMs) return differenceMs > 0 ? words.inAMoment : words.justNow;
  // Round future times, or two hours ahead would immediately read "in 1 hour".
  const count = differenceMs > 0 ? Math.round : Math.floor;
  const step = units.find(({ ms, below }) => count(distanceMs / ms) * ms < below);
  if (step) {
    const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
    return relative.format(Math.sign(differenceMs) * count(distanceMs / step.ms), step.unit);
  }
  return dateText(instant, locale, { dateStyle: "medium" });
}

/** To the minute, independent of the local time zone. */
export function exactUtc(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

import type { ReactNode } from "react";
import { ClockTime, ExactTime } from "./exact-time.tsx";
import { type Tone, toneInk } from "./tone.ts";
import { ToneIcon } from "./tone-icon.tsx";
import { UiWord } from "./ui-words.tsx";

export type TimelineEvent = {
  id: string;
  title: ReactNode;
  /** ISO 8601; undefined for a future step. */
  at: string | undefined;
  description?: ReactNode;
  tone: Tone;
};

/** `isExact`: shows times with milliseconds. */
export function Timeline({ events, isExact = false }: { events: TimelineEvent[]; isExact?: boolean }) {
  const Time = isExact ? ExactTime : ClockTime;
  return (
    <ol className="flex flex-col">
      {events.map((event) => (
        <li key={event.id} className="group relative flex gap-4 pb-6 last:pb-0">
          <span
            aria-hidden="true"
            className="absolute top-6 bottom-0 left-[0.6875rem] w-0.5 bg-line group-last:hidden"
          />
          <span className={`relative pt-0.5 ${toneInk[event.tone]}`}>
            <ToneIcon tone={event.tone} className="size-6" />
          </span>
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className={event.at ? "font-semibold" : "text-ink-soft"}>{event.title}</span>
              <span className="text-sm text-ink-soft">
                {event.at ? <Time at={event.at} /> : <UiWord name="notYet" />}
              </span>
            </p>
            {event.description ? <div className="mt-0.5 text-ink-soft">{event.description}</div> : null}
          </div>
        </li>
      ))}
    </ol>
  );
}

import { memo } from "react";
import { toneGround } from "#components/ui/tone.ts";
import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { LaneArrow } from "./lane-arrow.tsx";
import { sentenceOf, stepOf } from "./tell-event.ts";
import { timeOf } from "./time-of.ts";

type EventRowProps = {
  event: SandboxEvent;
  place: number;
  count: number;
  isSelected: boolean;
  select: (id: string) => void;
};

/** One step of the diagram: when, between whom, what, and what came of it. Read aloud it is one sentence. */
export const EventRow = memo(function EventRow({ event, place, count, isSelected, select }: EventRowProps) {
  const { name, detail, from, to, outcome, tone } = stepOf(event);
  return (
    <li data-row="" aria-posinset={place} aria-setsize={count} className="h-18 border-b border-line lg:h-11">
      <button
        type="button"
        id={`event-${event.id}`}
        aria-pressed={isSelected}
        aria-label={`${timeOf(event.at)} ${sentenceOf(event)}`}
        onClick={() => select(event.id)}
        className="grid h-full w-full grid-cols-[1fr_auto] grid-rows-[auto_1fr] items-center gap-x-3 px-3 pt-1 text-left -outline-offset-2 hover:bg-sunken aria-pressed:bg-accent-soft lg:grid-cols-[6.5rem_minmax(0,26rem)_1fr_auto] lg:grid-rows-1 lg:pt-0"
      >
        <span className="hidden font-mono text-xs text-ink-soft tabular-nums lg:block">{timeOf(event.at)}</span>
        <span className="order-3 col-span-2 h-full min-h-6 lg:order-0 lg:col-span-1">
          <LaneArrow from={from} to={to} isDashed={event.kind === "control"} />
        </span>
        <span className="min-w-0 lg:pl-3">
          <span className="block truncate text-sm font-semibold lg:inline">{name}</span>
          <span className="block truncate font-mono text-xs text-ink-soft lg:ml-2 lg:inline">{detail}</span>
        </span>
        <span
          className={`max-w-32 truncate rounded-badge px-2 py-0.5 font-mono text-xs font-semibold lg:max-w-56 ${toneGround[tone]}`}
        >
          {outcome}
        </span>
      </button>
    </li>
  );
});

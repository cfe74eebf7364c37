import { memo } from "react";
import { toneGround } from "#components/ui/tone.ts";
import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { lanes, sentenceOf, stepOf } from "./describe-event.ts";

type EventRowProps = {
  event: SandboxEvent;
  position: number;
  count: number;
  isSelected: boolean;
  select: (id: string) => void;
};

export const EventRow = memo(function EventRow({ event, position, count, isSelected, select }: EventRowProps) {
  const { name, detail, from, to, outcome, tone } = stepOf(event);
  return (
    <li
      data-row=""
      aria-posinset={position}
      aria-setsize={count}
      className="h-18 border-b border-line @3xl:h-9 @3xl:pointer-coarse:h-11"
    >
      <button
        type="button"
        id={`event-${event.id}`}
        aria-pressed={isSelected}
        aria-label={`${timeOf(event.at)} ${sentenceOf(event)}`}
        onClick={() => select(event.id)}
        className="grid h-full w-full grid-cols-[1fr_auto] grid-rows-[auto_1fr] items-center gap-x-3 px-3 pt-1 text-left -outline-offset-2 hover:bg-sunken aria-pressed:bg-accent-soft @3xl:grid-cols-[6.5rem_minmax(0,26rem)_1fr_auto] @3xl:grid-rows-1 @3xl:pt-0"
      >
        <span className="hidden font-mono text-xs text-ink-soft tabular-nums @3xl:block">{timeOf(event.at)}</span>
        <span className="order-3 col-span-2 h-full min-h-6 @3xl:order-0 @3xl:col-span-1">
          <LaneArrow from={from} to={to} isDashed={event.kind === "control"} />
        </span>
        <span className="min-w-0 @3xl:truncate @3xl:pl-3">
          <span className="block truncate text-sm font-semibold @3xl:inline">{name}</span>
          <span className="block truncate font-mono text-xs text-ink-soft @3xl:ml-2 @3xl:inline">
            <span className="mr-2 hidden tabular-nums @md:inline @3xl:hidden">{timeOf(event.at)}</span>
            {detail}
          </span>
        </span>
        <span
          className={`max-w-32 truncate rounded-badge px-2 py-0.5 font-mono text-xs font-semibold @3xl:max-w-56 ${toneGround[tone]}`}
        >
          {outcome}
        </span>
      </button>
    </li>
  );
});

const format = new Intl.DateTimeFormat("en-US", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
  timeZone: "UTC",
});

/** ISO 8601 to a UTC time of day with milliseconds. */
export function timeOf(at: string): string {
  return format.format(new Date(at));
}

function LaneArrow({ from, to, isDashed }: { from: number; to: number; isDashed: boolean }) {
  const [start, end] = [laneCenter(from), laneCenter(to)];
  const direction = to > from ? 1 : -1;
  return (
    <svg className="h-full w-full text-ink" aria-hidden="true" preserveAspectRatio="none">
      {lanes.map((lane, index) => (
        <line key={lane} x1={laneCenter(index)} x2={laneCenter(index)} y1="0" y2="100%" className="stroke-line" />
      ))}
      <line
        x1={start}
        x2={end}
        y1="50%"
        y2="50%"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeDasharray={isDashed ? "4 3" : undefined}
      />
      <circle cx={start} cy="50%" r="3" fill="currentColor" />
      <svg x={end} y="50%" overflow="visible" aria-hidden="true">
        <path d={`M${-7 * direction} -4.5 0 0 ${-7 * direction} 4.5Z`} fill="currentColor" />
      </svg>
    </svg>
  );
}

function laneCenter(lane: number): string {
  return `${((lane + 0.5) * 100) / lanes.length}%`;
}

import { timeOf } from "./event-row.tsx";
import type { Journey } from "./journeys.ts";
import { shortId } from "./short-id.ts";

type JourneyRowProps = {
  id: string;
  journey: Journey;
  isOpen: boolean;
  position: number;
  count: number;
  toggle: (person: string, isOpen: boolean) => void;
};

/** As tall as an event row, because the list is virtualized. */
export function JourneyRow({ id, journey, isOpen, position, count, toggle }: JourneyRowProps) {
  const { person, name, stages, events } = journey;
  const [, personId = ""] = person.split(":");
  return (
    <li
      data-row=""
      aria-posinset={position}
      aria-setsize={count}
      className="h-18 border-b border-line bg-sunken @3xl:h-9 @3xl:pointer-coarse:h-11"
    >
      <button
        type="button"
        id={id}
        aria-expanded={isOpen}
        onClick={() => toggle(person, isOpen)}
        className="flex h-full w-full items-center gap-x-3 px-3 text-left text-sm -outline-offset-2 hover:bg-accent-soft"
      >
        <svg viewBox="0 0 16 16" className={`size-4 shrink-0 ${isOpen ? "rotate-90" : ""}`} aria-hidden="true">
          <path d="m6 3 5 5-5 5" fill="none" stroke="currentColor" strokeWidth="1.6" />
        </svg>
        <span className="min-w-0 flex-1 truncate">
          <span className="font-semibold">{name ?? (person ? shortId(personId) : "Not about a person")}</span>{" "}
          <span className="text-ink-soft">{stages.join(", ")}</span>
        </span>
        <span className="hidden font-mono text-xs text-ink-soft tabular-nums sm:block">
          {timeOf(events[0]?.at ?? "")}
        </span>
        <span className="shrink-0 text-ink-soft tabular-nums">
          {events.length} {events.length === 1 ? "step" : "steps"}
        </span>
      </button>
    </li>
  );
}

"use client";

import { useMemo, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import type { EventPage, SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { CallLine } from "./calls/call-line.tsx";
import { EventDetail } from "./event-detail.tsx";
import { addressOf, choose, type Filters } from "./filters.ts";
import { journeysOf } from "./journeys.ts";
import { SequenceDiagram, stepsId, type TimelineRow } from "./sequence-diagram.tsx";
import { TimelineFilters } from "./timeline-filters.tsx";
import { useEvents, useJoined } from "./use-events.ts";

type TimelineProps = { firstPage: EventPage; firstFilters: Filters; clientId: string };

export function Timeline({ firstPage, firstFilters, clientId }: TimelineProps) {
  const held = useEvents(firstPage, clientId);
  const { events, hasEarlier, waiting, isPaused, isLive, refusal, pause, loadEarlier, loadFailed } = held;
  const [filters, setFilters] = useState(firstFilters);
  const { kinds, search, join, hidesReads, isGrouped } = filters;
  const { events: joined, older } = useJoined(held, join, clientId);
  const shown = useMemo(
    () => choose(joined, { kinds, search, join, hidesReads }),
    [joined, kinds, search, join, hidesReads],
  );
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => rowsOf(shown, isGrouped, open, filters.event), [shown, isGrouped, open, filters.event]);
  const selected = joined.find(({ id }) => id === filters.event);

  function change(changed: Partial<Filters>): void {
    const next = { ...filters, ...changed };
    setFilters(next);
    // Next's router would reload the page.
    window.history.replaceState(null, "", addressOf(next));
  }

  function toggle(person: string, isOpen: boolean): void {
    setOpen(new Set(isOpen ? [...open].filter((one) => one !== person) : [...open, person]));
    // A selected step keeps its journey open.
    if (isOpen) change({ event: "" });
  }

  function close(): void {
    // A step that was scrolled out isn't rendered.
    (document.getElementById(`event-${filters.event}`) ?? document.getElementById(stepsId))?.focus();
    change({ event: "" });
  }

  return (
    <div className="flex grow flex-col gap-4">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-2">
        <h1 className="text-3xl">Timeline</h1>
        <p role="status" className="text-sm text-ink-soft noscript:hidden">
          {refusal ?? (isPaused ? `Paused, ${waiting} new` : isLive ? "Live" : "Connecting")}
        </p>
        <Button variant="secondary" size="sm" className="ml-auto noscript:hidden" onClick={() => pause(!isPaused)}>
          {isPaused ? "Resume" : "Pause"}
        </Button>
      </div>
      <CallLine method="GET" path="/sandbox/events" />
      <TimelineFilters filters={filters} change={change} />
      <div className="flex min-h-0 border border-line bg-surface lg:h-[calc(100dvh-19rem)] lg:min-h-100">
        <SequenceDiagram
          rows={rows}
          selectedId={filters.event}
          select={(event) => change({ event })}
          toggle={toggle}
          loadEarlier={hasEarlier && !join ? loadEarlier : undefined}
          loadFailed={loadFailed}
          older={older}
          isFiltered={shown !== events}
        />
        {selected ? <EventDetail event={selected} close={close} follow={(one) => change({ join: one })} /> : null}
      </div>
    </div>
  );
}

/** Every step, or each journey with the steps of open ones. A selected step's journey is open. */
function rowsOf(
  events: readonly SandboxEvent[],
  isGrouped: boolean,
  open: ReadonlySet<string>,
  selectedId: string,
): TimelineRow[] {
  const stepRow = (event: SandboxEvent) => ({ id: `event-${event.id}`, event });
  if (!isGrouped) return events.map(stepRow);
  return journeysOf(events).flatMap((journey) => {
    const isOpen = open.has(journey.person) || journey.events.some(({ id }) => id === selectedId);
    const header = { id: `journey-${journey.person}`, journey, isOpen };
    return [header, ...(isOpen ? journey.events.map(stepRow) : [])];
  });
}

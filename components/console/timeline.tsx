"use client";

import { useMemo, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import type { EventPage } from "#lib/contract/sandbox-events.ts";
import { CallLine } from "./calls/call-line.tsx";
import { EventDetail } from "./event-detail.tsx";
import { addressOf, choose, type Filters } from "./filters.ts";
import { SequenceDiagram } from "./sequence-diagram.tsx";
import { TimelineFilters } from "./timeline-filters.tsx";
import { useEvents, useJoined } from "./use-events.ts";

type TimelineProps = { firstPage: EventPage; firstFilters: Filters };

export function Timeline({ firstPage, firstFilters }: TimelineProps) {
  const { events, hasEarlier, waiting, isPaused, isLive, pause, loadEarlier } = useEvents(firstPage);
  const [filters, setFilters] = useState(firstFilters);
  const { kinds, search, join } = filters;
  const joined = useJoined(events, join);
  const shown = useMemo(() => choose(joined, { kinds, search, join }), [joined, kinds, search, join]);
  const selected = joined.find(({ id }) => id === filters.event);

  function change(changed: Partial<Filters>): void {
    const next = { ...filters, ...changed };
    setFilters(next);
    // Next's router would reload the page.
    window.history.replaceState(null, "", addressOf(next));
  }

  function close(): void {
    document.getElementById(`event-${filters.event}`)?.focus();
    change({ event: "" });
  }

  return (
    <div className="flex grow flex-col gap-4">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-2">
        <h1 className="text-3xl">Timeline</h1>
        <p role="status" className="text-sm text-ink-soft">
          {isPaused ? `Paused, ${waiting} new` : isLive ? "Live" : "Connecting"}
        </p>
        <Button variant="secondary" size="sm" className="ml-auto" onClick={() => pause(!isPaused)}>
          {isPaused ? "Resume" : "Pause"}
        </Button>
      </div>
      <CallLine method="GET" path="/sandbox/events" />
      <TimelineFilters filters={filters} change={change} />
      <div className="flex min-h-0 border border-line bg-surface lg:h-[calc(100dvh-19rem)] lg:min-h-100">
        <SequenceDiagram
          events={shown}
          selectedId={filters.event}
          select={(event) => change({ event })}
          loadEarlier={hasEarlier && !join ? loadEarlier : undefined}
          isFiltered={shown !== events}
        />
        {selected ? <EventDetail event={selected} close={close} follow={(one) => change({ join: one })} /> : null}
      </div>
    </div>
  );
}

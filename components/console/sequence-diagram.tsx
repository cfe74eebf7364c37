import { type KeyboardEvent, useCallback, useLayoutEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { Button } from "#components/ui/button.tsx";
import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { lanes } from "./describe-event.ts";
import { EventRow } from "./event-row.tsx";
import { JourneyRow } from "./journey-row.tsx";
import type { Journey } from "./journeys.ts";
import type { OlderOfJoin } from "./use-events.ts";
import { useVirtualRows } from "./use-window.ts";

/** `id` is the DOM element's. */
export type TimelineRow = { id: string; event: SandboxEvent } | { id: string; journey: Journey; isOpen: boolean };

type SequenceDiagramProps = {
  rows: TimelineRow[];
  selectedId: string;
  select: (id: string) => void;
  toggle: (person: string, isOpen: boolean) => void;
  /** Undefined if there are no earlier steps. */
  loadEarlier: (() => void) | undefined;
  loadFailed: boolean;
  older: OlderOfJoin;
  isFiltered: boolean;
};

export const stepsId = "steps";

// Within this distance of the end, the view follows new steps.
const nearEndPx = 80;

/** A virtualized list of steps, oldest first. A view at the end follows new steps. */
export function SequenceDiagram(props: SequenceDiagramProps) {
  const { rows, selectedId, select, toggle, loadEarlier, loadFailed, older, isFiltered } = props;
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(selectedId === "");
  const { start, end, before, after, rowHeight, measure } = useVirtualRows(box, rows.length);
  const latest = useRef(select);
  latest.current = select;
  const selectRow = useCallback((id: string) => latest.current(id), []);

  const first = useRef({ id: rows[0]?.id, top: 0 });
  const list = useRef<HTMLOListElement>(null);

  // Keep the reading position when earlier steps are prepended.
  useLayoutEffect(() => {
    const element = box.current;
    const top = list.current?.offsetTop ?? 0;
    const added = rows.findIndex(({ id }) => id === first.current.id);
    if (element && added > 0 && !isAtEnd.current) {
      element.scrollTop += added * rowHeight + top - first.current.top;
      // The focused button might be gone.
      if (document.activeElement === document.body) element.focus({ preventScroll: true });
    }
    first.current = { id: rows[0]?.id, top };
  }, [rows, rowHeight]);

  // Scrolls once to a linked step, when the rows' height is known.
  const isPlaced = useRef(selectedId === "");
  useLayoutEffect(() => {
    if (isPlaced.current || rowHeight === 0) return;
    isPlaced.current = true;
    const index = rows.findIndex((row) => "event" in row && row.event.id === selectedId);
    if (index >= 0) box.current?.scrollTo({ top: index * rowHeight });
  }, [rows, selectedId, rowHeight]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows, or taller ones, move the end
  useLayoutEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [rows, after, rowHeight]);

  function noteEnd(): void {
    const element = box.current;
    if (element) isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx;
  }

  // The next step might not be rendered yet.
  function move(press: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[press.key];
    const index = rows.findIndex(({ id }) => id === document.activeElement?.id);
    const next = step && index >= 0 ? rows[index + step] : undefined;
    if (!next) return;
    press.preventDefault();
    const rowOf = () => document.getElementById(next.id);
    // A held key repeats faster than the browser reports scrolling.
    if (!rowOf()) flushSync(measure);
    rowOf()?.focus();
  }

  return (
    <section
      ref={box}
      id={stepsId}
      aria-label="Steps"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
      tabIndex={0}
      onScroll={noteEnd}
      onKeyDown={move}
      className="@container h-[70dvh] min-w-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none] -outline-offset-2 lg:h-auto"
    >
      <div className="sticky top-0 z-10 border-b-2 border-ink bg-surface px-3 @3xl:grid @3xl:grid-cols-[6.5rem_minmax(0,26rem)_1fr] @3xl:gap-x-3">
        <ol aria-label="Lanes" className="grid grid-cols-4 py-2 @3xl:col-start-2">
          {lanes.map((lane) => (
            <li key={lane} className="px-1 text-center text-xs leading-tight font-semibold">
              {lane}
            </li>
          ))}
        </ol>
      </div>
      {loadEarlier ? (
        <div className="border-b border-line p-3 text-center noscript:hidden">
          <Button variant="secondary" size="sm" onClick={loadEarlier}>
            Load earlier steps
          </Button>
          {loadFailed ? (
            <p role="alert" className="mt-1.5 text-sm text-ink-soft">
              Couldn’t load earlier steps. Try again, or reload the page.
            </p>
          ) : null}
        </div>
      ) : null}
      {older === "shown" ? null : (
        <p className="border-b border-line p-3 text-center text-sm text-ink-soft noscript:hidden">
          {olderWords[older]}
        </p>
      )}
      {rows.length === 0 && older === "shown" ? <EmptyDiagram isFiltered={isFiltered} /> : null}
      <ol ref={list} aria-label="Steps, oldest first">
        <Spacer height={before} />
        {rows.slice(start, end).map((row, index) => {
          const positions = { position: start + index + 1, count: rows.length };
          return "event" in row ? (
            <EventRow
              key={row.id}
              event={row.event}
              {...positions}
              isSelected={row.event.id === selectedId}
              select={selectRow}
            />
          ) : (
            <JourneyRow key={row.id} {...row} {...positions} toggle={toggle} />
          );
        })}
        <Spacer height={after} />
      </ol>
    </section>
  );
}

const olderWords: Record<Exclude<OlderOfJoin, "shown">, string> = {
  loading: "Loading earlier steps",
  failed: "Couldn’t load earlier steps. Reload the page to try again.",
  cut: "There are more earlier steps.",
};

function Spacer({ height }: { height: number }) {
  return height > 0 ? <li aria-hidden="true" style={{ height }} /> : null;
}

function EmptyDiagram({ isFiltered }: { isFiltered: boolean }) {
  return (
    <div className="px-6 py-10 text-center text-sm text-ink-soft">
      <p className="font-semibold text-ink">{isFiltered ? "No matching steps" : "No steps yet"}</p>
      <p className="mt-1.5">
        {isFiltered
          ? "Change the search or the filters."
          : "Make a call as this client, or send a person to the authorization pages. Each step appears here as it happens."}
      </p>
    </div>
  );
}

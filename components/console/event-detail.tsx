import { useEffect, useRef } from "react";
import { ClauseBadge } from "#components/ui/clause-badge.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { type Copies, copiesOfRequest } from "#lib/kit/request-copies.ts";
import { clauseOf } from "./clause-of.ts";
import { lanes, stepOf } from "./describe-event.ts";

type EventDetailProps = { event: SandboxEvent; close: () => void; follow: (join: string) => void };

export function EventDetail({ event, close, follow }: EventDetailProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new event takes the focus
  useEffect(() => heading.current?.focus({ preventScroll: true }), [event.id]);
  const { name, detail, from, to, outcome } = stepOf(event);
  const clause = clauseOf(event);
  const copies = copiesOfEvent(event);
  return (
    <aside
      aria-label="Selected step"
      onKeyDown={(press) => press.key === "Escape" && close()}
      className="fixed inset-x-0 bottom-0 z-30 flex h-[70dvh] flex-col border-t-2 border-ink bg-surface lg:static lg:z-auto lg:h-auto lg:min-h-0 lg:w-100 lg:shrink-0 lg:border-t-0 lg:border-l lg:border-line xl:w-120"
    >
      <header className="flex items-start gap-3 border-b border-line px-4 py-3">
        <div className="min-w-0">
          <h2 ref={heading} tabIndex={-1} className="text-lg break-words">
            {name}
          </h2>
          <p className="text-sm text-ink-soft">
            {lanes[from]} to {lanes[to]}
          </p>
        </div>
        <button
          type="button"
          aria-label="Close step"
          aria-keyshortcuts="Escape"
          onClick={close}
          className="ml-auto inline-flex size-9 shrink-0 items-center justify-center rounded-control text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <svg viewBox="0 0 16 16" className="size-5" aria-hidden="true">
            <path d="m4 4 8 8m0-8-8 8" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
          </svg>
        </button>
      </header>
      <section
        aria-label="Step details"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 py-4 text-sm -outline-offset-2"
      >
        <p className="font-mono text-xs break-all">{detail}</p>
        {clause ? <ClauseBadge clause={clause} /> : null}
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 [&_dd]:font-mono [&_dd]:text-xs [&_dd]:leading-6 [&_dd]:break-all [&_dt]:leading-6 [&_dt]:text-ink-soft">
          <dt>Outcome</dt>
          <dd>{outcome}</dd>
          <dt>Time</dt>
          <dd>{event.at}</dd>
          <dt>Client’s clock</dt>
          <dd>{event.client_time}</dd>
          <dt>Duration</dt>
          <dd>{event.duration_ms === null ? "not measured" : `${event.duration_ms} ms`}</dd>
        </dl>
        {copies ? (
          <p className="flex flex-wrap gap-2">
            <CopyButton text={copies.curl} label="Copy as curl" />
            <CopyButton text={copies.typeScript} label="Copy as TypeScript" />
          </p>
        ) : null}
        <Joins joins={event.joins} follow={follow} />
        <Part title="Request" value={event.request} />
        <Part title="Response" value={event.response} />
        {"facts" in event ? <Part title="Other details" value={event.facts} /> : null}
      </section>
    </aside>
  );
}

function Joins({ joins, follow }: { joins: string[]; follow: (join: string) => void }) {
  return (
    <section aria-label="Related events">
      <h3 className="eyebrow mb-1.5 text-ink-soft">Related events</h3>
      <ul className="flex flex-wrap gap-1.5">
        {joins.map((join) => (
          <li key={join} className="max-w-full">
            <button
              type="button"
              onClick={() => follow(join)}
              className="max-w-full truncate rounded-badge border border-line-strong px-2 py-1 font-mono text-xs hover:border-ink hover:bg-sunken"
            >
              {join}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Part({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="eyebrow mb-1.5 text-ink-soft">{title}</h3>
      <pre className="rounded-control border border-line bg-canvas p-3 font-mono text-xs leading-relaxed break-words whitespace-pre-wrap">
        {JSON.stringify(value, undefined, 2)}
      </pre>
    </section>
  );
}

/** Commands that repeat the event's call; undefined if the client didn't make one. */
export function copiesOfEvent(event: SandboxEvent): Copies | undefined {
  if (event.kind !== "call" && event.kind !== "control") return undefined;
  const isBearer = event.kind === "call" && event.facts.authorization === "bearer";
  const body = bodyIn(event.request);
  return copiesOfRequest({
    method: event.method,
    base: "SERVICE_BASE_URL",
    path: event.path,
    basic: isBearer ? undefined : { id: "CLIENT_ID", secret: "CLIENT_SECRET" },
    bearer: isBearer ? "ACCESS_TOKEN" : undefined,
    headers: body === undefined ? [] : [["content-type", "application/json"]],
    ...(body !== undefined && { body }),
  });
}

function bodyIn(request: unknown): unknown {
  const body = typeof request === "object" && request !== null && "body" in request ? request.body : undefined;
  return body ?? undefined;
}

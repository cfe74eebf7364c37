import { memo, useId, useState } from "react";
import { brandName } from "#brand/name.ts";
import { toneGround } from "#components/ui/tone.ts";
import type { InspectedEntry } from "#lib/partner/inspector/read-inspector.ts";
import { EntryDetail } from "./entry-detail.tsx";
import { outcomeWords } from "./outcome-words.ts";

const directions = {
  call: { label: `${brandName} called`, path: "M3 8h9.5m-4-4 4 4-4 4" },
  answer: { label: `${brandName} was asked`, path: "M13 8H3.5m4-4-4 4 4 4" },
  webhook: { label: "Webhook", path: "M9 2 4 9h4l-1 5 5-7H8l1-5Z" },
} as const;

/** One exchange on a line; opened, everything that is known of it. */
export const EntryRow = memo(function EntryRow({ entry }: { entry: InspectedEntry }) {
  const [isOpen, setIsOpen] = useState(false);
  const detailId = useId();
  const { kind, method, path, durationMs, rule, request } = entry;
  const { text, tone } = outcomeWords(entry);
  const { label, path: arrow } = directions[kind];
  const type = kind === "webhook" ? webhookType(request.body) : undefined;
  return (
    <li className="border-t border-line first:border-t-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailId : undefined}
        onClick={() => setIsOpen(!isOpen)}
        className="grid w-full grid-cols-[auto_1fr_auto] items-center gap-x-3 px-4 py-2.5 text-left -outline-offset-2 hover:bg-sunken/60"
      >
        <svg viewBox="0 0 16 16" className="size-4 text-ink-soft" role="img" aria-label={label} fill="none">
          <path d={arrow} stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
        </svg>
        <span className="min-w-0">
          <span className="block text-sm font-semibold">{rule?.name ?? "Call the service"}</span>
          <span className="block font-mono text-xs wrap-anywhere text-ink-soft">{type ?? `${method} ${path}`}</span>
        </span>
        <span className="flex flex-col items-end gap-0.5">
          <span
            className={`rounded-badge px-2 py-0.5 font-mono text-xs font-semibold whitespace-nowrap ${toneGround[tone]}`}
          >
            {text}
          </span>
          {durationMs === undefined ? null : (
            <span className="font-mono text-xs text-ink-soft tabular-nums">{durationMs} ms</span>
          )}
        </span>
      </button>
      {isOpen ? (
        <div id={detailId}>
          <EntryDetail entry={entry} />
        </div>
      ) : null}
    </li>
  );
});

function webhookType(body: unknown): string | undefined {
  const type = typeof body === "object" && body !== null && "webhook_type" in body ? body.webhook_type : undefined;
  return typeof type === "string" ? type : undefined;
}

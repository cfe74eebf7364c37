import { memo, useId, useState } from "react";
import { brandName } from "#brand/name.ts";
import { ClauseBadge } from "#components/ui/clause-badge.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { type Tone, toneGround } from "#components/ui/tone.ts";
import { copiesOf } from "#lib/partner/inspector/copies.ts";
import type { InspectedEntry } from "#lib/partner/inspector/read-inspector.ts";
import type { Rule } from "#lib/partner/inspector/rules.ts";
import type { EntryDetails, EntryOutcome, RedactedMessage } from "#lib/partner/inspector/schema.ts";
import { ServiceName } from "../service-name.tsx";
import { RuleCode } from "./rule-code.tsx";

const directions = {
  call: { label: `${brandName} called`, path: "M3 8h9.5m-4-4 4 4-4 4" },
  answer: { label: `${brandName} was asked`, path: "M13 8H3.5m4-4-4 4 4 4" },
  webhook: { label: "Webhook", path: "M9 2 4 9h4l-1 5 5-7H8l1-5Z" },
} as const;

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

export function EntryDetail({ entry }: { entry: InspectedEntry }) {
  const { method, path, query, kind, at, cause, why, problems, requestId, request, response, rule, consoleUrl } = entry;
  const copies = copiesOf(entry);
  return (
    <div className="flex flex-col gap-4 border-t border-line bg-canvas px-4 py-4 text-sm">
      <p className="font-mono text-xs break-all">
        {method} {query ? `${path}?${query}` : path}
      </p>
      {why ? <p className="border-l-2 border-line-strong pl-3 break-words">{why}</p> : null}
      {problems.length > 0 ? (
        <ul className="flex flex-col gap-1 border-l-2 border-line-strong pl-3">
          {problems.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <code className="font-mono font-semibold">{field}</code> {message}
            </li>
          ))}
        </ul>
      ) : null}
      {rule ? <RuleNote rule={rule} /> : null}
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1">
        <dt className="text-ink-soft">At</dt>
        <dd className="text-xs">
          <ExactTime at={at} />
        </dd>
        {cause ? (
          <>
            <dt className="text-ink-soft">Caused by</dt>
            <dd className="font-mono text-xs break-all">{cause}</dd>
          </>
        ) : null}
        {requestId ? (
          <>
            <dt className="text-ink-soft">Request id</dt>
            <dd className="[&_code]:text-xs">
              <Copyable value={requestId} label="request id" />
            </dd>
          </>
        ) : null}
      </dl>
      {consoleUrl ? (
        <p>
          <a className="font-semibold underline underline-offset-4" href={consoleUrl} target="_blank" rel="noopener">
            See it as <ServiceName /> saw it
          </a>{" "}
          <span className="text-ink-soft">(its console, in a new tab)</span>
        </p>
      ) : null}
      {copies ? (
        <p className="flex flex-wrap gap-2">
          <CopyButton text={copies.curl} label="Copy as curl" />
          <CopyButton text={copies.typeScript} label="Copy as TypeScript" />
        </p>
      ) : null}
      <Message title={`${brandName} ${kind === "call" ? "sent" : "got"}`} message={request} />
      {response ? <Message title={`${brandName} ${kind === "call" ? "got" : "answered"}`} message={response} /> : null}
    </div>
  );
}

function Message({
  title,
  message: { headers, body, charactersLeftOut },
}: {
  title: string;
  message: RedactedMessage;
}) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body, undefined, 2);
  return (
    <section aria-label={title} className="min-w-0">
      <h4 className="eyebrow mb-1.5 text-ink-soft">{title}</h4>
      <pre className="rounded-control border border-line bg-surface p-3 font-mono text-xs leading-relaxed break-words whitespace-pre-wrap">
        {lines.length > 0 ? <span className="text-ink-soft">{lines.join("\n")}</span> : null}
        {lines.length > 0 && text ? "\n\n" : null}
        {text}
        {charactersLeftOut === undefined ? null : `\n\n(a body of ${charactersLeftOut} characters, too long to keep)`}
      </pre>
    </section>
  );
}

export function RuleNote({ rule }: { rule: Rule }) {
  const { clause, says, file } = rule;
  return (
    <div className="flex flex-col gap-2">
      <ClauseBadge clause={clause} />
      <q className="text-ink-soft">{says}</q>
      <p>
        <span className="text-ink-soft">Done by </span>
        <code className="font-mono text-xs break-all">{file}</code>
      </p>
      <RuleCode rule={rule} />
    </div>
  );
}

/** Status and outcome in a few words. An unknown outcome is never called a failure. */
export function outcomeWords({ outcome, status }: EntryDetails): { text: string; tone: Tone } {
  const { tone, words } = outcomes[outcome];
  return {
    tone: outcome === "answered" && status !== 200 ? "warning" : tone,
    text: [status, words].filter(Boolean).join(" "),
  };
}

const outcomes: Record<EntryOutcome, { tone: Tone; words: string }> = {
  ok: { tone: "success", words: "" },
  not_understood: { tone: "warning", words: "answered, but…" },
  refused: { tone: "danger", words: "refused" },
  undecided: { tone: "info", words: "outcome unknown" },
  unknown: { tone: "info", words: "no answer: unknown" },
  not_sent: { tone: "warning", words: "not sent" },
  answered: { tone: "success", words: "" },
  accepted: { tone: "success", words: "accepted" },
  duplicate: { tone: "neutral", words: "duplicate" },
  turned_away: { tone: "danger", words: "refused" },
};

const format = new Intl.DateTimeFormat("en-US", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="font-mono tabular-nums">
      {format.format(new Date(at))}
    </time>
  );
}

import type { Rule } from "#lib/partner/inspector/rules.ts";

/** What the exchange rests on, with a badge that says whose rule it is, and the file that did it. */
export function RuleNote({ rule: { clause, says, file } }: { rule: Rule }) {
  const isPublished = clause.startsWith("I.");
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-2">
        <span
          className={`rounded-badge px-2 py-0.5 text-xs font-semibold whitespace-nowrap ${isPublished ? "bg-accent-soft text-accent" : "border border-line-strong"}`}
        >
          {isPublished ? "Published interface" : `Our decision ${clause.split(".")[0]}`}
        </span>
        <code className="font-mono text-xs break-all text-ink-soft">{clause}</code>
      </p>
      <q className="text-ink-soft">{says}</q>
      <p>
        <span className="text-ink-soft">Done by </span>
        <code className="font-mono text-xs break-all">{file}</code>
      </p>
    </div>
  );
}

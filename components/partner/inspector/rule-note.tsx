import { ClauseBadge } from "#components/ui/clause-badge.tsx";
import type { Rule } from "#lib/partner/inspector/rules.ts";

/** What the exchange rests on, with a badge that says whose rule it is, and the file that did it. */
export function RuleNote({ rule: { clause, says, file } }: { rule: Rule }) {
  return (
    <div className="flex flex-col gap-2">
      <ClauseBadge clause={clause} />
      <q className="text-ink-soft">{says}</q>
      <p>
        <span className="text-ink-soft">Done by </span>
        <code className="font-mono text-xs break-all">{file}</code>
      </p>
    </div>
  );
}

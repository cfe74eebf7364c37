import { memo } from "react";
import type { EntryGroup } from "#lib/partner/inspector/groups.ts";
import { EntryRow } from "./entry-row.tsx";
import { ExactTime } from "./exact-time.tsx";

/** What one action caused, under its name. What is out of sight is not laid out, so that hundreds stay smooth. */
export const ActionGroup = memo(function ActionGroup({ group }: { group: EntryGroup }) {
  return (
    <li className="border-b border-line [contain-intrinsic-size:auto_12rem] [content-visibility:auto]">
      <div className="flex items-baseline gap-3 bg-sunken px-4 py-2">
        <h3 className="min-w-0 text-sm">{group.title}</h3>
        <span className="ml-auto shrink-0 text-xs text-ink-soft">
          <ExactTime at={group.at} />
        </span>
      </div>
      <ol aria-label={group.title}>
        {group.entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </ol>
    </li>
  );
});

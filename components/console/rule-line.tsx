import type { CheckedRule } from "#lib/contract/sandbox-checks.ts";
import { ConsoleLink } from "./console-link.tsx";
import { addressOf } from "./filters.ts";
import { WireStatus } from "./wire-status.tsx";

export function RuleLine({ rule, drillNames }: { rule: CheckedRule; drillNames?: ReadonlyMap<string, string> }) {
  const { title, state, is_advice, clauses, evidence, what_to_do, drills } = rule;
  return (
    <li className="flex flex-col gap-1 border-b border-line pb-3 last:border-b-0">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <WireStatus status={state} />
        <span className="min-w-0 font-semibold">{title}</span>
        {is_advice ? <span className="text-sm text-ink-soft">Advice</span> : null}
      </p>
      <p className="flex flex-wrap gap-x-3 text-sm text-ink-soft">
        <code className="font-mono text-xs leading-6 break-all">{clauses.join(", ")}</code>
        {evidence.length > 0 ? (
          <span>
            Evidence:{" "}
            {evidence.map((id, index) => (
              <span key={id}>
                {index > 0 ? ", " : ""}
                <ConsoleLink href={addressOf({ event: id })}>event {id}</ConsoleLink>
              </span>
            ))}
          </span>
        ) : null}
      </p>
      {state === "broken" ? <p className="text-sm">{what_to_do}</p> : null}
      {state === "not_seen" && drillNames
        ? drills.slice(0, 1).map((id) => (
            <p key={id} className="text-sm">
              Run a drill: <ConsoleLink href={`/console/drills/${id}`}>{drillNames.get(id) ?? id}</ConsoleLink>
            </p>
          ))
        : null}
    </li>
  );
}

import { Button } from "#components/ui/button.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { type SandboxEventKind, sandboxEventKinds } from "#lib/contract/sandbox-events.ts";
import type { Filters } from "./filters.ts";

const names: Record<SandboxEventKind, string> = {
  call: "Calls",
  visit: "Visits",
  customer: "Customer calls",
  delivery: "Webhooks",
  control: "Sandbox",
};

type TimelineFiltersProps = { filters: Filters; change: (changed: Partial<Filters>) => void };

export function TimelineFilters({ filters, change }: TimelineFiltersProps) {
  const { kinds, search, join, hidesReads, isGrouped } = filters;
  const toggle = (kind: SandboxEventKind) =>
    change({ kinds: kinds.includes(kind) ? kinds.filter((one) => one !== kind) : [...kinds, kind] });
  return (
    <search className="flex flex-col gap-3 noscript:hidden lg:flex-row lg:flex-wrap lg:items-center">
      <label htmlFor="search" className="sr-only">
        Search
      </label>
      <TextInput
        id="search"
        type="search"
        placeholder="Search by name, id, or status"
        value={search}
        onChange={(typed) => change({ search: typed.currentTarget.value })}
        className="min-h-9 py-1.5 text-sm lg:max-w-72"
      />
      <fieldset className="flex flex-wrap gap-1.5">
        <legend className="sr-only">Kinds</legend>
        {sandboxEventKinds.map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={kinds.includes(kind)}
            onClick={() => toggle(kind)}
            className="min-h-9 rounded-badge border border-line-strong px-3 text-sm hover:border-ink aria-pressed:border-ink aria-pressed:bg-primary aria-pressed:text-on-primary pointer-coarse:min-h-11"
          >
            {names[kind]}
          </button>
        ))}
      </fieldset>
      <label className="inline-flex min-h-9 shrink-0 items-center gap-2 text-sm pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={hidesReads}
          onChange={({ currentTarget: { checked } }) => change({ hidesReads: checked })}
          className="size-4 accent-current"
        />
        Hide reads
      </label>
      <label className="inline-flex min-h-9 shrink-0 items-center gap-2 text-sm pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={isGrouped}
          onChange={({ currentTarget: { checked } }) => change({ isGrouped: checked })}
          className="size-4 accent-current"
        />
        Group by person
      </label>
      {join ? (
        <p className="flex min-w-0 items-center gap-2 text-sm">
          <code className="min-w-0 truncate font-mono text-xs">{join}</code>
          <Button variant="secondary" size="sm" onClick={() => change({ join: "" })}>
            Clear filter
          </Button>
        </p>
      ) : null}
    </search>
  );
}

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { Select } from "#components/ui/select.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { RequestList, RequestRecord } from "#lib/contract/sandbox-events.ts";
import { ConsoleLink } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NotRead, PagePart, type PageProps } from "../console-page.tsx";
import { addressOf } from "../filters.ts";
import { Paged } from "../paged.tsx";
import { type Column, RecordTable } from "../record-table.tsx";
import { withShortIds } from "../short-id.ts";
import { StatusCode } from "../wire-status.tsx";
import {
  choicesOf,
  chooseRequests,
  countErrors,
  type ErrorKind,
  type RequestFilters,
  type RequestPeople,
  readRequestFilters,
  statusValue,
} from "./request-filters.ts";

type RequestsProps = PageProps<{
  requests: RequestList;
  people: RequestPeople;
  /** The calls of the person in the query; null without one. */
  ofPerson: { id: string }[] | null;
}>;

export function Requests({ requests, people, ofPerson, query, lastEvent }: RequestsProps) {
  const filters = readRequestFilters(query);
  const isFiltered = Object.values(filters).some(Boolean);
  const all = requests?.requests;
  const found = all && chooseRequests(all, filters, new Set(ofPerson?.map(({ id }) => id)));
  return (
    <ConsolePage
      title="Requests"
      description={`Your app’s last ${limits.storedRequestsMax} API calls. Open one in the timeline to see its request and response.`}
      lastEvent={lastEvent}
    >
      <ConsoleSection
        title={isFiltered && found ? `${found.length} of ${all?.length} calls` : "Calls"}
        call={{ method: "GET", path: "/sandbox/requests" }}
      >
        {people ? null : <NotRead path="/sandbox/user_intents" />}
        <FilterForm requests={all ?? []} people={people ?? []} filters={filters} />
        <Errors kinds={countErrors(all ?? [])} />
        <PagePart
          part={ofPerson === undefined ? undefined : found}
          path={found ? personCallsPath(filters.person) : "/sandbox/requests"}
        >
          {(records) => (
            <Paged name="calls" records={records} query={query}>
              {(shown) => (
                <RecordTable
                  columns={columns}
                  records={shown}
                  keyOf={({ id }) => id}
                  none={isFiltered ? "No calls match." : "No calls yet."}
                />
              )}
            </Paged>
          )}
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}

export function personCallsPath(join: string): string {
  return `/sandbox/events?${new URLSearchParams({ kind: "call", join, limit: String(limits.eventsPageMax) })}`;
}

type FilterFormProps = { requests: readonly RequestRecord[]; people: RequestPeople; filters: RequestFilters };

/** Works without scripts: the form reopens this page. */
function FilterForm({ requests, people, filters }: FilterFormProps) {
  const plain = (values: string[]) => values.map((value) => [value, value] as const);
  const statuses = choicesOf(requests, statusValue).map((value) => [value, statusName(value)] as const);
  return (
    <search>
      <form key={JSON.stringify(filters)} className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
        <FilterField id="requests-q" label="Search">
          <TextInput
            id="requests-q"
            type="search"
            name="q"
            defaultValue={filters.q}
            placeholder="Path or reason"
            className="py-1.5 text-sm lg:pointer-fine:min-h-9"
          />
        </FilterField>
        <Choice
          name="method"
          label="Method"
          filters={filters}
          choices={plain(choicesOf(requests, ({ method }) => method))}
        />
        <Choice name="status" label="Status" filters={filters} choices={[["errors", "All errors"], ...statuses]} />
        <Choice
          name="route"
          label="Route"
          filters={filters}
          choices={plain(choicesOf(requests, ({ path_template }) => path_template))}
        />
        <Choice
          name="person"
          label="Person"
          filters={filters}
          choices={people.map(({ join, name }) => [join, name] as const)}
        />
        <Button type="submit" variant="secondary" size="sm" className="max-sm:col-span-2">
          Search
        </Button>
        {Object.values(filters).some(Boolean) ? (
          <ConsoleLink href="/console/requests">Clear filters</ConsoleLink>
        ) : null}
      </form>
    </search>
  );
}

type ChoiceProps = {
  name: keyof RequestFilters;
  label: string;
  filters: RequestFilters;
  choices: (readonly [value: string, name: string])[];
};

function Choice({ name, label, filters, choices }: ChoiceProps) {
  const id = `requests-${name}`;
  const value = filters[name];
  // A value from a link stays selected even if no call has it anymore.
  const isGone = value && !choices.some(([choice]) => choice === value);
  return (
    <FilterField id={id} label={label}>
      <Select id={id} name={name} defaultValue={value} className="py-1.5 text-sm lg:pointer-fine:min-h-9">
        <option value="">Any</option>
        {[...choices, ...(isGone ? [[value, value] as const] : [])].map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </Select>
    </FilterField>
  );
}

function FilterField({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <div className="min-w-0 max-sm:first:col-span-2 sm:max-w-52 sm:min-w-28">
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        {label}
      </label>
      {children}
    </div>
  );
}

function Errors({ kinds }: { kinds: ErrorKind[] }) {
  if (kinds.length === 0) return null;
  return (
    <section aria-label="Errors by kind">
      <h3 className="eyebrow mb-1.5 font-sans text-ink-soft">Errors by kind</h3>
      <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm pointer-coarse:gap-y-6 pointer-coarse:py-3">
        {kinds.map(({ status, reason, count }) => (
          <li key={`${status} ${reason}`}>
            <ConsoleLink href={`/console/requests?${new URLSearchParams({ status, q: reason })}`}>
              {statusName(status)} {reason}
            </ConsoleLink>{" "}
            <span className="tabular-nums">
              {count}
              <span className="sr-only">{count === 1 ? " call" : " calls"}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function statusName(value: string): string {
  return value === "none" ? "No answer" : value;
}

const columns: Column<RequestRecord>[] = [
  { name: "Time", cell: ({ answered_at }) => <ExactTime at={answered_at} /> },
  {
    name: "Call",
    cell: ({ method, path }) => (
      <code title={path} className="font-mono text-xs break-all">
        {method} {withShortIds(path)}
      </code>
    ),
  },
  { name: "Status", cell: ({ status, reason }) => <StatusCode status={status} reason={reason} /> },
  { name: "Duration", align: "right", cell: ({ duration_ms }) => `${duration_ms} ms` },
  {
    name: "Step",
    cell: ({ id, operation }) => (
      <ConsoleLink href={addressOf({ event: id })}>
        Show<span className="sr-only"> {operation} in the timeline</span>
      </ConsoleLink>
    ),
  },
];

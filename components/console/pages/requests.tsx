import { Button } from "#components/ui/button.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { RequestList, RequestRecord } from "#lib/contract/sandbox-events.ts";
import { ConsoleLink } from "../console-link.tsx";
import { ConsolePage, ConsoleSection } from "../console-page.tsx";
import { addressOf } from "../filters.ts";
import { PagePart } from "../page-part.tsx";
import { type Column, RecordTable } from "../record-table.tsx";
import { StatusCode } from "../wire-status.tsx";

type RequestsProps = {
  requests: RequestList | undefined;
  search: string;
  lastEvent: string | undefined;
};

export function Requests({ requests, search, lastEvent }: RequestsProps) {
  const words = search.trim().toLowerCase();
  const found = requests?.requests.filter(({ method, path, operation, status, reason, request_id }) =>
    `${method} ${path} ${operation} ${status} ${reason ?? ""} ${request_id}`.toLowerCase().includes(words),
  );
  return (
    <ConsolePage
      title="Requests"
      description={`Your app’s last ${limits.requestsKeptMax} API calls. Open one in the timeline to see its request and response.`}
      lastEvent={lastEvent}
    >
      <ConsoleSection
        title={words && found ? `${found.length} of ${requests?.requests.length} calls` : "Calls"}
        call={{ method: "GET", path: "/sandbox/requests" }}
      >
        <search>
          <form className="flex max-w-md items-center gap-2">
            <label htmlFor="requests-search" className="sr-only">
              Search
            </label>
            <TextInput
              id="requests-search"
              type="search"
              name="q"
              defaultValue={search}
              placeholder="Path, status or reason"
              className="min-h-9 py-1.5 text-sm"
            />
            <Button type="submit" variant="secondary" size="sm">
              Search
            </Button>
          </form>
        </search>
        <PagePart part={found} path="/sandbox/requests">
          {(records) => (
            <RecordTable
              columns={columns}
              records={records}
              keyOf={({ id }) => id}
              none={words ? "No calls match." : "No calls yet."}
            />
          )}
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}

const columns: Column<RequestRecord>[] = [
  { name: "Time", cell: ({ answered_at }) => <ExactTime at={answered_at} /> },
  {
    name: "Call",
    cell: ({ method, path }) => (
      <code className="font-mono text-xs break-all">
        {method} {path}
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

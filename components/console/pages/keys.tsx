import { ExactTime } from "#components/ui/exact-time.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { IdempotencyKeyList } from "#lib/contract/sandbox.ts";
import { ConsoleLink, KnownId, ShortId } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, PagePart, type PageProps } from "../console-page.tsx";
import { addressOf } from "../filters.ts";
import { Paged } from "../paged.tsx";
import { type Column, RecordTable } from "../record-table.tsx";

const joinOfOperation: Record<string, string> = { createBookRoutine: "routine", createUserIntent: "intent" };

export function Keys({ keys, query, lastEvent }: PageProps<{ keys: IdempotencyKeyList }>) {
  return (
    <ConsolePage
      title="Idempotency keys"
      description="A request repeated with the same Idempotency-Key gets the original result. A refused request leaves its key unused. A voided key can’t create anything."
      lastEvent={lastEvent}
    >
      <ConsoleSection title="Newest keys" call={{ method: "GET", path: "/sandbox/idempotency_keys" }}>
        <PagePart part={keys} path="/sandbox/idempotency_keys">
          {({ idempotency_keys }) => (
            <Paged
              name="keys"
              records={idempotency_keys}
              query={query}
              isCut={idempotency_keys.length >= limits.pageSizeMax}
            >
              {(shown) => (
                <RecordTable
                  columns={columns}
                  records={shown}
                  keyOf={({ operation, user_id, key }) => `${operation} ${user_id} ${key}`}
                  none="No keys used yet."
                />
              )}
            </Paged>
          )}
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}

const columns: Column<IdempotencyKeyList["idempotency_keys"][number]>[] = [
  { name: "Created", cell: ({ created_at }) => <ExactTime at={created_at} /> },
  { name: "Key", cell: ({ key }) => <ShortId id={key} kind="key" /> },
  { name: "Operation", cell: ({ operation }) => operation },
  {
    name: "Result",
    cell: ({ operation, resource_id }) =>
      resource_id === null ? "Voided" : <KnownId join={`${joinOfOperation[operation] ?? "user"}:${resource_id}`} />,
  },
  {
    name: "Fingerprint",
    cell: ({ fingerprint }) => (
      <ConsoleLink href={addressOf({ search: fingerprint })}>
        <code className="font-mono text-xs font-normal break-all">{fingerprint}</code>
      </ConsoleLink>
    ),
  },
];

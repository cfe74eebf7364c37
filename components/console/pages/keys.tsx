import { Copyable } from "#components/ui/copyable.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import type { IdempotencyKeyList } from "#lib/contract/sandbox.ts";
import { ConsoleLink, KnownId } from "../console-link.tsx";
import { ConsolePage, ConsoleSection } from "../console-page.tsx";
import { addressOf } from "../filters.ts";
import { PagePart } from "../page-part.tsx";
import { type Column, RecordTable } from "../record-table.tsx";

type KeysProps = { keys: IdempotencyKeyList | undefined; lastEvent: string | undefined };

const joinOfOperation: Record<string, string> = { createBookRoutine: "routine", createUserIntent: "intent" };

/** The idempotency keys that your app sent, and what each stands for since. */
export function Keys({ keys, lastEvent }: KeysProps) {
  return (
    <ConsolePage
      title="Keys"
      says="A request that is sent again under its Idempotency-Key is answered with what the first one created. A request that was refused leaves its key unused. Under a voided key nothing can be created."
      lastEvent={lastEvent}
    >
      <ConsoleSection title="What a key stands for" call={{ method: "GET", path: "/sandbox/idempotency_keys" }}>
        <PagePart part={keys} path="/sandbox/idempotency_keys">
          {({ idempotency_keys }) => (
            <RecordTable
              columns={columns}
              records={idempotency_keys}
              keyOf={({ operation, user_id, key }) => `${operation} ${user_id} ${key}`}
              none="No key stands for anything yet."
            />
          )}
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}

const columns: Column<IdempotencyKeyList["idempotency_keys"][number]>[] = [
  { name: "Since", cell: ({ created_at }) => <ExactTime at={created_at} /> },
  { name: "Key", cell: ({ key }) => <Copyable value={key} label={`key ${key}`} /> },
  { name: "Operation", cell: ({ operation }) => operation },
  {
    name: "Stands for",
    cell: ({ operation, resource_id }) =>
      resource_id === null ? (
        "Nothing: it was voided"
      ) : (
        <KnownId join={`${joinOfOperation[operation] ?? "user"}:${resource_id}`} />
      ),
  },
  {
    name: "Seen as",
    cell: ({ fingerprint }) => (
      <ConsoleLink href={addressOf({ search: fingerprint })}>
        <code className="font-mono text-xs font-normal break-all">{fingerprint}</code>
      </ConsoleLink>
    ),
  },
];

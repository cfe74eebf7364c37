import { Fold } from "#components/ui/disclosure.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { Money } from "#components/ui/money.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { limits } from "#lib/contract/limits.ts";
import { centsFromAmount, type TransferRecord } from "#lib/contract/money.ts";
import type { LedgerRecord, SandboxTransferList, UserList } from "#lib/contract/sandbox.ts";
import { CallForm } from "../calls/call-form.tsx";
import { KnownId, ShortId } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NothingYet, NotRead, PagePart, type PageProps } from "../console-page.tsx";
import { nextSteps } from "../next-steps.ts";
import { Paged } from "../paged.tsx";
import { type Column, RecordTable } from "../record-table.tsx";
import { WireStatus } from "../wire-status.tsx";

type MoneyPageProps = PageProps<{ ledger: LedgerRecord; transfers: SandboxTransferList; users: UserList }>;
type AccountName = (id: string) => string;

export function MoneyPage({ ledger, transfers, users, query, lastEvent }: MoneyPageProps) {
  const nameOf: AccountName = (id) => {
    const account = ledger?.accounts.find((one) => one.id === id);
    const owner = users?.users.find((user) => user.id === account?.user_id);
    if (!account) return id;
    return owner ? `${owner.first_name} ${owner.last_name}, ${account.name}` : account.name;
  };
  return (
    <ConsolePage
      title="Money"
      description="This client’s ledger. Every movement is two entries, so all entries always add up to zero."
      lastEvent={lastEvent}
    >
      {ledger ? <Sum sum={ledger.sum} next={ledger.next} /> : null}
      {users ? null : <NotRead path="/sandbox/users" />}
      <ConsoleSection title="Accounts" call={{ method: "GET", path: "/sandbox/ledger" }}>
        <PagePart part={ledger} path="/sandbox/ledger">
          {({ accounts, next }) => (
            <Paged name="accounts" records={accounts} query={query} isCut={next !== null}>
              {(shown) => <Accounts accounts={shown} nameOf={nameOf} />}
            </Paged>
          )}
        </PagePart>
      </ConsoleSection>
      <ConsoleSection title="Routines and transfers" call={{ method: "GET", path: "/sandbox/transfers" }}>
        <PagePart part={transfers} path="/sandbox/transfers">
          {(data) =>
            data.transfers.length === 0 ? (
              <NothingYet>No payments yet.</NothingYet>
            ) : (
              <Paged
                name="transfers"
                records={data.transfers}
                query={query}
                isCut={data.transfers.length >= limits.pageSizeMax}
              >
                {(shown) => (
                  <ul className="flex flex-col gap-3">
                    {shown.map((transfer) => (
                      <Transfer
                        key={transfer.id}
                        transfer={transfer}
                        nameOf={nameOf}
                        isHeld={ledger?.holds.some(({ transfer_id }) => transfer_id === transfer.id) ?? false}
                      />
                    ))}
                  </ul>
                )}
              </Paged>
            )
          }
        </PagePart>
      </ConsoleSection>
      <ConsoleSection
        title="Movements"
        description="Newest first. Each arrow is one posting, from one account to another."
      >
        <PagePart part={ledger} path="/sandbox/ledger">
          {({ entries, next }) => (
            <Paged name="movements" records={movementsOf(entries)} query={query} isCut={next !== null}>
              {(shown) => (
                <RecordTable
                  columns={movementColumns(nameOf)}
                  records={shown}
                  keyOf={({ postingId }) => postingId}
                  none="No movements yet."
                />
              )}
            </Paged>
          )}
        </PagePart>
      </ConsoleSection>
    </ConsolePage>
  );
}

function Sum({ sum, next }: Pick<LedgerRecord, "sum" | "next">) {
  return (
    <p className="sticky top-14 z-10 lg:top-2 flex flex-wrap items-center gap-3 self-start border border-line-strong bg-surface px-4 py-2">
      {next === null ? "Sum of all entries:" : "Sum of the entries shown here:"}{" "}
      <strong>
        <Usd amount={sum} />
      </strong>
      <StatusBadge tone={sum === 0 ? "success" : "danger"}>{sum === 0 ? "Balanced" : "Not balanced"}</StatusBadge>
    </p>
  );
}

type AccountsProps = { accounts: readonly LedgerRecord["accounts"][number][]; nameOf: AccountName };

function Accounts({ accounts, nameOf }: AccountsProps) {
  return (
    <ul className="grid gap-3 md:grid-cols-2">
      {accounts.map((account) => (
        <li key={account.id} className="flex min-w-0 flex-col gap-2 border border-line bg-surface p-4">
          <h3 className="font-semibold">{nameOf(account.id)}</h3>
          <p className="text-ink-soft">
            <ShortId id={account.id} kind="account" />
          </p>
          <dl className="grid grid-cols-[1fr_auto] gap-x-4 text-sm [&_dd]:text-right">
            <dt>Balance</dt>
            <dd>
              <Usd amount={account.current_balance} />
            </dd>
            <dt>Held for payments</dt>
            <dd>
              <Usd amount={account.held} />
            </dd>
            <dt>Available</dt>
            <dd>
              <Usd amount={account.available_balance} />
            </dd>
          </dl>
          {account.user_id === null ? null : (
            <Fold title="Add money" about={nameOf(account.id)}>
              <CallForm
                call={{ method: "POST", path: `/sandbox/accounts/${account.id}/fund` }}
                fields={[{ name: "amount", label: "Amount in US dollars", kind: "number", initial: "100" }]}
                button="Add"
                about={nameOf(account.id)}
              />
            </Fold>
          )}
        </li>
      ))}
    </ul>
  );
}

const movementColumns = (nameOf: AccountName): Column<Movement>[] => [
  { name: "At", cell: ({ at }) => <ExactTime at={at} /> },
  {
    name: "From and to",
    cell: ({ sourceId, destinationId }) => <FromTo from={nameOf(sourceId)} to={nameOf(destinationId)} />,
  },
  { name: "Amount", align: "right", cell: ({ amount }) => <Usd amount={amount} /> },
  {
    name: "Transfer",
    cell: ({ transferId }) => (transferId ? <KnownId join={`transfer:${transferId}`} /> : "added manually"),
  },
];

function FromTo({ from, to }: { from: string; to: string }) {
  return (
    <>
      {from}
      <svg
        viewBox="0 0 24 8"
        className="mx-2 inline h-2 w-6 text-accent"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
      >
        <path d="M0 4h22M18 1l4 3-4 3" strokeWidth="1.4" />
      </svg>
      <span className="sr-only"> to </span>
      {to}
    </>
  );
}

function Transfer({ transfer, nameOf, isHeld }: { transfer: TransferRecord; nameOf: AccountName; isHeld: boolean }) {
  const steps = nextSteps("transfer", transfer.status);
  return (
    <li className="flex flex-col gap-2 border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h3 className="font-semibold break-words">{transfer.routine_name}</h3>
        <WireStatus status={transfer.status} />
        {isHeld ? <StatusBadge tone="info">Held</StatusBadge> : null}
        <strong className="sm:ml-auto">
          <Usd amount={transfer.amount} />
        </strong>
      </div>
      <p className="text-sm">
        <FromTo from={nameOf(transfer.source_id)} to={nameOf(transfer.destination_id)} />
      </p>
      <p className="text-sm text-ink-soft">
        Created <ExactTime at={transfer.created_at} />
      </p>
      <p className="text-sm">
        Routine <KnownId join={`routine:${transfer.routine_id}`} />, transfer{" "}
        <KnownId join={`transfer:${transfer.id}`} />
      </p>
      {transfer.failure_reason ? (
        <p className="text-sm">
          Failed: <code className="font-mono text-xs">{transfer.failure_reason}</code>
        </p>
      ) : null}
      {steps.length > 0 ? (
        <Fold title="Settle" about={transfer.routine_name}>
          <CallForm
            call={{ method: "POST", path: `/sandbox/transfers/${transfer.id}/status` }}
            fields={[
              {
                name: "status",
                label: "New status",
                kind: "choice",
                choices: steps.map((step) => [step, step] as const),
                initial: steps[0] ?? "",
              },
              {
                name: "failure_reason",
                label: "Reason",
                kind: "text",
                isOptional: true,
                onlyWith: { name: "status", value: "failed" },
              },
            ]}
            button="Settle"
            about={transfer.routine_name}
          />
        </Fold>
      ) : null}
    </li>
  );
}

/** A wire amount in US dollars; anything else is shown as is. */
export function Usd({ amount }: { amount: number }) {
  const cents = centsFromAmount(amount);
  return cents === undefined ? String(amount) : <Money cents={cents} />;
}

/** One posting from one account to another; the amount is in US dollars. */
type Movement = {
  postingId: string;
  transferId: string | null;
  sourceId: string;
  destinationId: string;
  amount: number;
  at: string;
};

/** Pairs ledger entries into movements, in order. Drops a posting that the end of the page splits. */
export function movementsOf(entries: LedgerRecord["entries"]): Movement[] {
  const postings = Map.groupBy(entries, ({ posting_id }) => posting_id);
  return [...postings].flatMap(([postingId, both]) => {
    const [source, destination] = [both.find(({ amount }) => amount < 0), both.find(({ amount }) => amount > 0)];
    if (!source || !destination) return [];
    return {
      postingId,
      transferId: destination.transfer_id,
      sourceId: source.account_id,
      destinationId: destination.account_id,
      amount: destination.amount,
      at: destination.created_at,
    };
  });
}

import { useState } from "react";
import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import type { ConnectedUser, MeantTransfer } from "#lib/partner/connections/read-connected-user.ts";
import { Amount, amountText } from "../amount.tsx";
import { ServiceName } from "../service-name.tsx";
import { toneOfMeaning, wordsOf } from "../status-words.ts";

/** `transfers`: undefined if they could not be read. New ones are animated. */
export function PaymentsCard({ transfers }: { transfers: MeantTransfer[] | undefined }) {
  return (
    <Card title="Payments" description={`What ${brandName} has sent you, newest first.`}>
      {transfers ? (
        <>
          <Payments transfers={transfers} />
          {transfers.some(didNotArrive) ? <FailedPaymentHelp /> : null}
        </>
      ) : (
        <Alert tone="info">
          We can't load your payments from <ServiceName /> right now. You may have some.
        </Alert>
      )}
    </Card>
  );
}

function Payments({ transfers }: { transfers: MeantTransfer[] }) {
  const [first] = useState(() => new Set(transfers.map(({ id }) => id)));
  if (transfers.length === 0) {
    return <EmptyState title="No payments yet">They appear here as soon as {brandName} pays you.</EmptyState>;
  }
  return (
    <Table aria-label="Payments">
      <Thead>
        <Tr>
          <Th>For</Th>
          <Th>When</Th>
          <Th>Status</Th>
          <Th align="right">Amount</Th>
        </Tr>
      </Thead>
      <Tbody>
        {transfers.map((transfer) => (
          <Tr key={transfer.id} className={first.has(transfer.id) ? "" : "arrival"}>
            <Td label="For">
              {transfer.routine_name ?? "Unknown"}
              {didNotArrive(transfer) ? (
                <span className="block text-sm text-danger">{wordsOf(transfer.failure_reason ?? "no_reason")}</span>
              ) : null}
            </Td>
            <Td label="When">{transfer.created_at ? <RelativeTime at={transfer.created_at} /> : "Unknown"}</Td>
            <Td label="Status">
              <StatusBadge tone={toneOfMeaning(transfer.meaning)}>{wordsOf(transfer.status)}</StatusBadge>
            </Td>
            <Td label="Amount" align="right">
              <Amount money={transfer.amount} sign={transfer.meaning === "succeeded"} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

export function FailedPaymentHelp() {
  return (
    <div className="mt-5">
      <Alert tone="info" title="A payment didn't arrive">
        The money went back to {brandName}, which can pay you again. Check above that your account is open. If it isn't,
        ask <ServiceName /> to reopen it, then authorize {brandName} again on this page.
      </Alert>
    </div>
  );
}

/** Whether a transfer ended without the money. */
export function didNotArrive({ meaning }: MeantTransfer): boolean {
  return meaning === "failed" || meaning === "cancelled";
}

/** Announces each payment that is new or changed its meaning; empty if none. */
export function paymentsAnnouncement(before: ConnectedUser, now: ConnectedUser): string {
  if (before.kind !== "ok" || now.kind !== "ok" || !before.transfers || !now.transfers) return "";
  const known = new Map(before.transfers.map(({ id, meaning }) => [id, meaning]));
  const changed = now.transfers.filter(({ id, meaning }) => known.get(id) !== meaning);
  const balances = now.accounts?.items.map(({ current_balance }) => amountText(current_balance)) ?? [];
  const [balance] = balances;
  return [
    ...changed.map(sentenceOf),
    ...(changed.some(({ meaning }) => meaning === "succeeded") && balances.length === 1
      ? [`Your balance is ${balance}.`]
      : []),
  ].join(" ");
}

function sentenceOf(transfer: MeantTransfer): string {
  const what = `${amountText(transfer.amount)}${transfer.routine_name ? ` for ${transfer.routine_name}` : ""}`;
  if (transfer.meaning === "succeeded") return `${what} has arrived.`;
  if (didNotArrive(transfer)) return `${what} didn't arrive: ${wordsOf(transfer.failure_reason ?? "no_reason")}.`;
  return `${what} is on its way.`;
}

import { useState } from "react";
import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import type { MeantTransfer } from "#lib/partner/connections/read-connected-user.ts";
import { Amount } from "../amount.tsx";
import { ServiceName } from "../service-name.tsx";
import { toneOfMeaning, wordsOf } from "../status-words.ts";
import { FailedPayoutHelp } from "./failed-payout-help.tsx";
import { didNotArrive } from "./payout-news.ts";

/** The newest transfers to a seller; undefined when the service did not tell. One that came while the page was open arrives visibly. */
export function PayoutsCard({ transfers }: { transfers: MeantTransfer[] | undefined }) {
  return (
    <Card title="Payments" description={`What ${brandName} has sent you, newest first.`}>
      {transfers ? (
        <>
          <Payouts transfers={transfers} />
          {transfers.some(didNotArrive) ? <FailedPayoutHelp /> : null}
        </>
      ) : (
        <Alert tone="info">
          We can't load your payments from <ServiceName /> right now. You may have some.
        </Alert>
      )}
    </Card>
  );
}

function Payouts({ transfers }: { transfers: MeantTransfer[] }) {
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
              {transfer.routine_name ?? "Not known"}
              {didNotArrive(transfer) ? (
                <span className="block text-sm text-danger">{wordsOf(transfer.failure_reason ?? "no_reason")}</span>
              ) : null}
            </Td>
            <Td label="When">{transfer.created_at ? <RelativeTime at={transfer.created_at} /> : "Not known"}</Td>
            <Td label="Status">
              <StatusBadge tone={toneOfMeaning(transfer.meaning)}>{wordsOf(transfer.status)}</StatusBadge>
            </Td>
            <Td label="Amount" align="right">
              <Amount told={transfer.amount} sign={transfer.meaning === "succeeded"} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import type { TransferRecord } from "#lib/contract/routines.ts";
import { Amount } from "../amount.tsx";
import { toneOfStatus, wordsOf } from "../status-words.ts";

/** The newest transfers to a seller. */
export function PayoutsCard({ transfers }: { transfers: TransferRecord[] | undefined }) {
  return (
    <Card title="Payouts" description="What Harbor has sent you, newest first.">
      {transfers ? (
        <Payouts transfers={transfers} />
      ) : (
        <Alert tone="info">Plainbook did not list them just now, so there may be some.</Alert>
      )}
    </Card>
  );
}

function Payouts({ transfers }: { transfers: TransferRecord[] }) {
  if (transfers.length === 0) {
    return <EmptyState title="No payout yet">It appears here as soon as Harbor pays you.</EmptyState>;
  }
  return (
    <Table aria-label="Payouts">
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
          <Tr key={transfer.id}>
            <Td label="For">{transfer.routine_name}</Td>
            <Td label="When">
              <RelativeTime at={transfer.created_at} />
            </Td>
            <Td label="Status">
              <StatusBadge tone={toneOfStatus(transfer.status)}>{wordsOf(transfer.status)}</StatusBadge>
            </Td>
            <Td label="Amount" align="right">
              <Amount dollars={transfer.amount} sign={transfer.status === "processed"} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import type { AccountRecord } from "#lib/contract/accounts.ts";
import { Amount } from "../amount.tsx";
import { toneOfStatus, wordsOf } from "../status-words.ts";

/**
 * A user's payment instruments with what is in them and what can be spent. `accounts` is undefined when the service did
 * not tell; `isApproved`: whether there should be one.
 */
export function AccountsCard({ accounts, isApproved }: { accounts: AccountRecord[] | undefined; isApproved: boolean }) {
  return (
    <Card title="Accounts">
      {accounts ? (
        <Accounts accounts={accounts} isApproved={isApproved} />
      ) : (
        <Alert tone="warning" title="The accounts cannot be shown right now">
          Plainbook did not tell. Nothing about them has changed; load this page again in a minute.
        </Alert>
      )}
    </Card>
  );
}

function Accounts({ accounts, isApproved }: { accounts: AccountRecord[]; isApproved: boolean }) {
  if (accounts.length === 0) {
    return (
      <EmptyState title="No account yet">
        {isApproved ? "Plainbook lists none so far." : "Plainbook opens one as soon as you are approved."}
      </EmptyState>
    );
  }
  return (
    <Table aria-label="Accounts">
      <Thead>
        <Tr>
          <Th>Account</Th>
          <Th>Status</Th>
          <Th align="right">Available</Th>
          <Th align="right">Balance</Th>
        </Tr>
      </Thead>
      <Tbody>
        {accounts.map((account) => (
          <Tr key={account.id}>
            <Td label="Account">
              <span className="font-semibold">{account.name}</span>{" "}
              <span className="text-ink-soft whitespace-nowrap">···{account.mask}</span>
            </Td>
            <Td label="Status">
              <StatusBadge tone={toneOfStatus(account.status)}>{wordsOf(account.status)}</StatusBadge>
            </Td>
            <Td label="Available" align="right">
              <Amount dollars={account.available_balance} />
            </Td>
            <Td label="Balance" align="right">
              <Amount dollars={account.current_balance} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

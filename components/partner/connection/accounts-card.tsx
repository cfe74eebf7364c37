import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Money } from "#components/ui/money.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import type { AccountRecord } from "#lib/contract/accounts.ts";
import { centsFromAmount } from "#lib/contract/money.ts";
import { toneOfStatus, wordsOf } from "../status-words.ts";

/** A user's payment instruments with what is in them and what can be spent. */
export function AccountsCard({ accounts }: { accounts: AccountRecord[] }) {
  return (
    <Card title="Accounts">
      {accounts.length === 0 ? (
        <EmptyState title="No account yet">Plainbook opens one as soon as you are approved.</EmptyState>
      ) : (
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
                  <Money cents={centsFromAmount(account.available_balance) ?? 0} />
                </Td>
                <Td label="Balance" align="right">
                  <Money cents={centsFromAmount(account.current_balance) ?? 0} />
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </Card>
  );
}

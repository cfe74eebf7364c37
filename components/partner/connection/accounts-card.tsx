// biome-ignore-all lint/a11y/noRedundantRoles: a `display` other than a table's takes the roles away in some browsers
import { useState } from "react";
import { brandName } from "#brand/name.ts";
import type { Account, AccountList } from "#client";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { isClosedAccount } from "#lib/partner/connections/status-words.ts";
import { Amount, amountText } from "../amount.tsx";
import { ServiceName } from "../service-name.tsx";
import { toneOfStatus, wordsOf } from "../status-words.ts";

/** `accounts`: undefined if they could not be read. `isAwaiting`: the account opens with a pending approval. */
export function AccountsCard({ accounts, isAwaiting }: { accounts: AccountList | undefined; isAwaiting: boolean }) {
  return (
    <Card title="Balance">
      {accounts ? (
        <>
          {accounts.isWhole ? null : (
            <Alert tone="warning" title="Some accounts aren't shown here">
              {brandName} couldn't read them. The log says why.
            </Alert>
          )}
          <Accounts accounts={accounts.items} isAwaiting={isAwaiting} />
        </>
      ) : (
        <Alert tone="warning" title="We can't load your balance right now">
          Your money isn't affected. We'll keep trying.
        </Alert>
      )}
    </Card>
  );
}

function Accounts({ accounts, isAwaiting }: { accounts: Account[]; isAwaiting: boolean }) {
  if (accounts.length === 0) {
    return (
      <EmptyState title="No account yet">
        <ServiceName /> {isAwaiting ? "opens one as soon as you're approved." : "has none yet."}
      </EmptyState>
    );
  }
  return (
    <table aria-label="Accounts" role="table" className="block">
      <thead role="rowgroup" className="sr-only">
        <tr role="row">
          <th scope="col" role="columnheader">
            Account
          </th>
          <th scope="col" role="columnheader">
            Available
          </th>
          <th scope="col" role="columnheader">
            Balance
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup" className="block divide-y divide-line">
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </tbody>
    </table>
  );
}

function AccountRow({ account }: { account: Account }) {
  const { name, mask, status, available_balance, current_balance } = account;
  const balance = amountText(current_balance);
  const [first] = useState(balance);
  return (
    <tr role="row" className="flex flex-wrap items-baseline justify-between gap-x-8 gap-y-1 py-5 first:pt-0 last:pb-0">
      <td role="cell" className="order-2 flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1 text-ink-soft">
        <span>
          {name ?? "Account"} {mask ? <span className="whitespace-nowrap">···{mask}</span> : null}
        </span>
        {isClosedAccount(status) ? <StatusBadge tone={toneOfStatus(status)}>{wordsOf(status)}</StatusBadge> : null}
      </td>
      <td role="cell" className="order-3 text-ink-soft">
        Available <Amount money={available_balance} />
      </td>
      <td role="cell" className="order-1 w-full">
        {/* A new element replays the animation. */}
        <span
          key={balance}
          className={`heading inline-block rounded-control text-4xl sm:text-6xl ${balance === first ? "" : "arrival"}`}
        >
          <Amount money={current_balance} />
        </span>
      </td>
    </tr>
  );
}

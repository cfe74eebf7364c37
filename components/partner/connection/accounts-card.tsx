// biome-ignore-all lint/a11y/noRedundantRoles: a `display` other than a table's takes the roles away in some browsers
import { type ReactNode, useState } from "react";
import type { Account, AccountList } from "#client";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { ClockTime } from "#components/ui/exact-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { isClosedAccount } from "#lib/partner/statuses.ts";
import { useWords } from "#use-words";
import { Amount, useAmountText } from "../amount.tsx";
import { toneOfStatus, useStatusWords } from "../status-words.ts";

type AccountsCardProps = {
  /** Undefined if they couldn't be read. */
  accounts: AccountList | undefined;
  /** When they were read (ISO 8601). */
  readAt: string;
  /** The account opens once a pending approval comes. */
  isAwaiting: boolean;
  /** Shown below the accounts, if there are any. */
  note?: ReactNode;
};

export function AccountsCard({ accounts, readAt, isAwaiting, note }: AccountsCardProps) {
  const t = useWords("payments.balance");
  const asOf = t.rich("asOf", { time: () => <ClockTime at={readAt} /> });
  return (
    <Card title={t("title")} description={accounts ? asOf : null}>
      {accounts ? (
        <>
          {accounts.isWhole ? null : (
            <Alert tone="warning" title={t("partial.title")}>
              {t("partial.text")}
            </Alert>
          )}
          <Accounts accounts={accounts.items} isAwaiting={isAwaiting} />
          {note && accounts.items.length > 0 ? <p className="mt-5 text-ink-soft">{note}</p> : null}
        </>
      ) : (
        <Alert tone="warning" title={t("unavailable.title")}>
          {t("unavailable.text")}
        </Alert>
      )}
    </Card>
  );
}

function Accounts({ accounts, isAwaiting }: { accounts: Account[]; isAwaiting: boolean }) {
  const t = useWords("payments.balance");
  if (accounts.length === 0) {
    return <EmptyState title={t("none.title")}>{t(isAwaiting ? "none.awaiting" : "none.text")}</EmptyState>;
  }
  return (
    <table aria-label={t("accounts")} role="table" className="block">
      <thead role="rowgroup" className="sr-only">
        <tr role="row">
          <th scope="col" role="columnheader">
            {t("account")}
          </th>
          <th scope="col" role="columnheader">
            {t("available")}
          </th>
          <th scope="col" role="columnheader">
            {t("title")}
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
  const t = useWords("payments.balance");
  const statusWords = useStatusWords();
  const balance = useAmountText()(current_balance);
  const [first] = useState(balance);
  return (
    <tr role="row" className="flex flex-wrap items-baseline justify-between gap-x-8 gap-y-1 py-5 first:pt-0 last:pb-0">
      <td role="cell" className="order-2 flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1 text-ink-soft">
        <span>
          {name ?? t("account")} {mask ? <span className="whitespace-nowrap">···{mask}</span> : null}
        </span>
        {isClosedAccount(status) ? <StatusBadge tone={toneOfStatus(status)}>{statusWords(status)}</StatusBadge> : null}
      </td>
      <td role="cell" className="order-3 text-ink-soft">
        {t("available")} <Amount money={available_balance} />
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

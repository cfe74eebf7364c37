import type { Metadata } from "next";
import { MoneyPage } from "#components/console/pages/money.tsx";
import { ledgerRecord, sandboxTransferList, userList } from "#lib/contract/sandbox.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Money" };

export default async function ConsoleMoneyPage() {
  const client = await requireConsoleClient();
  const [lastEvent, ledger, transfers, users] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/ledger", ledgerRecord),
    read(client, "/sandbox/transfers", sandboxTransferList),
    read(client, "/sandbox/users", userList),
  ]);
  return <MoneyPage ledger={ledger} {...transfers} {...users} lastEvent={lastEvent} />;
}

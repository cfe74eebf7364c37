import type { Metadata } from "next";
import { MoneyPage } from "#components/console/pages/money.tsx";
import { ledgerRecord, sandboxTransferList, userList } from "#lib/contract/sandbox.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";
import { readQuery, type Search } from "../console-query.ts";

export const metadata: Metadata = { title: "Money" };

export default async function ConsoleMoneyPage(search: Search) {
  const client = await requireConsoleClient();
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    ledger: read(client, "/sandbox/ledger", ledgerRecord),
    transfers: read(client, "/sandbox/transfers", sandboxTransferList),
    users: read(client, "/sandbox/users", userList),
  });
  return <MoneyPage {...parts} query={await readQuery(search)} />;
}

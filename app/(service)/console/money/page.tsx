import type { Metadata } from "next";
import { MoneyPage } from "#components/console/pages/money.tsx";
import { ledgerRecord, sandboxTransferList, userList } from "#lib/contract/sandbox.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Money" };

export default consolePage(MoneyPage, (client) => ({
  ledger: read(client, "/sandbox/ledger", ledgerRecord),
  transfers: read(client, "/sandbox/transfers", sandboxTransferList),
  users: read(client, "/sandbox/users", userList),
}));

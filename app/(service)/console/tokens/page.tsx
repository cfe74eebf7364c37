import type { Metadata } from "next";
import { Tokens } from "#components/console/pages/tokens.tsx";
import { tokenList, userList } from "#lib/contract/sandbox.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";
import { readQuery, type Search } from "../console-query.ts";

export const metadata: Metadata = { title: "Tokens" };

export default async function TokensPage(search: Search) {
  const client = await requireConsoleClient();
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    tokens: read(client, "/sandbox/tokens", tokenList),
    users: read(client, "/sandbox/users", userList),
  });
  return <Tokens {...parts} query={await readQuery(search)} />;
}

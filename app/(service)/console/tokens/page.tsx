import type { Metadata } from "next";
import { Tokens } from "#components/console/pages/tokens.tsx";
import { userList } from "#lib/contract/sandbox.ts";
import { tokenList } from "#lib/contract/sandbox-tokens.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Tokens" };

export default async function TokensPage() {
  const client = await requireConsoleClient();
  const [lastEvent, tokens, users] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/tokens", tokenList),
    read(client, "/sandbox/users", userList),
  ]);
  return <Tokens {...tokens} {...users} lastEvent={lastEvent} />;
}

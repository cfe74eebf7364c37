import type { Metadata } from "next";
import { Tokens } from "#components/console/pages/tokens.tsx";
import { tokenList, userList } from "#lib/contract/sandbox.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Tokens" };

export default consolePage(Tokens, (client) => ({
  tokens: read(client, "/sandbox/tokens", tokenList),
  users: read(client, "/sandbox/users", userList),
}));

import type { Metadata } from "next";
import { People } from "#components/console/pages/people.tsx";
import { messageList, userIntentList, userList, visitList } from "#lib/contract/sandbox.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";
import { readQuery, type Search } from "../console-query.ts";

export const metadata: Metadata = { title: "People" };

export default async function PeoplePage(search: Search) {
  const client = await requireConsoleClient();
  const query = await readQuery(search);
  const phone = query.get("phone") ?? undefined;
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    intents: read(client, "/sandbox/user_intents", userIntentList),
    users: read(client, "/sandbox/users", userList),
    visits: read(client, "/sandbox/visits", visitList),
    texts: phone ? read(client, `/sandbox/messages?phone=${encodeURIComponent(phone)}`, messageList) : undefined,
  });
  return <People {...parts} phone={phone} query={query} />;
}

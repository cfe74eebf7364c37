import type { Metadata } from "next";
import { People } from "#components/console/pages/people.tsx";
import { messageList, userIntentList, userList, visitList } from "#lib/contract/sandbox.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "People" };

type Search = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function PeoplePage({ searchParams }: Search) {
  const client = await requireConsoleClient();
  const phone = (await searchParams)["phone"]?.toString();
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    intents: read(client, "/sandbox/user_intents", userIntentList),
    users: read(client, "/sandbox/users", userList),
    visits: read(client, "/sandbox/visits", visitList),
    texts: phone ? read(client, `/sandbox/messages?phone=${encodeURIComponent(phone)}`, messageList) : undefined,
  });
  return <People {...parts} phone={phone} />;
}

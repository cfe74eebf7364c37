import type { Metadata } from "next";
import { People } from "#components/console/pages/people.tsx";
import { messageList, userIntentList, userList, visitList } from "#lib/contract/sandbox.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "People" };

type Search = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function PeoplePage({ searchParams }: Search) {
  const client = await requireConsoleClient();
  const phone = (await searchParams)["phone"]?.toString();
  const [lastEvent, intents, users, visits, texts] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/user_intents", userIntentList),
    read(client, "/sandbox/users", userList),
    read(client, "/sandbox/visits", visitList),
    phone ? read(client, `/sandbox/messages?phone=${encodeURIComponent(phone)}`, messageList) : undefined,
  ]);
  return (
    <People
      {...intents}
      {...users}
      {...visits}
      texts={phone && texts ? { phone, ...texts } : undefined}
      lastEvent={lastEvent}
    />
  );
}

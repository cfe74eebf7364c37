import type { Metadata } from "next";
import { joinsOf, peopleOf, type RequestPeople } from "#components/console/pages/request-filters.ts";
import { personCallsPath, Requests } from "#components/console/pages/requests.tsx";
import { type UserIntentList, userIntentList, userList } from "#lib/contract/sandbox.ts";
import { eventPage, requestList, type SandboxEvent } from "#lib/contract/sandbox-events.ts";
import type { ConsoleClient } from "#lib/service/sandbox/console/console-session.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";
import { readQuery, type Search } from "../console-query.ts";

export const metadata: Metadata = { title: "Requests" };

export default async function RequestsPage(search: Search) {
  const client = await requireConsoleClient();
  const query = await readQuery(search);
  const intents = read(client, "/sandbox/user_intents", userIntentList);
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    requests: read(client, "/sandbox/requests", requestList),
    people: readPeople(client, intents),
    ofPerson: readCallsOf(client, query.get("person"), intents),
  });
  return <Requests {...parts} query={query} />;
}

async function readPeople(client: ConsoleClient, intents: Promise<UserIntentList>): Promise<RequestPeople> {
  const [known, users] = await Promise.all([intents, read(client, "/sandbox/users", userList)]);
  return peopleOf(known, users);
}

async function readCallsOf(
  client: ConsoleClient,
  person: string | null,
  intents: Promise<UserIntentList>,
): Promise<SandboxEvent[] | null> {
  if (!person) return null;
  const joins = joinsOf(person, await intents);
  const pages = await Promise.all(joins.map((join) => read(client, personCallsPath(join), eventPage)));
  return pages.flatMap(({ events }) => events);
}

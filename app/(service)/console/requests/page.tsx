import type { Metadata } from "next";
import { joinsOf, peopleOf, type RequestPeople } from "#components/console/pages/request-filters.ts";
import { personCallsPath, Requests } from "#components/console/pages/requests.tsx";
import { type UserIntentList, userIntentList, userList } from "#lib/contract/sandbox.ts";
import { eventPage, requestList, type SandboxEvent } from "#lib/contract/sandbox-events.ts";
import type { ConsoleClient } from "#lib/service/sandbox/console/console-session.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Requests" };

export default consolePage(Requests, (client, query) => {
  const intents = read(client, "/sandbox/user_intents", userIntentList);
  return {
    requests: read(client, "/sandbox/requests", requestList),
    people: readPeople(client, intents),
    ofPerson: readCallsOf(client, query.get("person"), intents),
  };
});

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

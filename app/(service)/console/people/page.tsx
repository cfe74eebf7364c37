import type { Metadata } from "next";
import { People } from "#components/console/pages/people.tsx";
import { messageList, userIntentList, userList, visitList } from "#lib/contract/sandbox.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "People" };

export default consolePage(People, (client, query) => {
  const phone = query.get("phone");
  return {
    intents: read(client, "/sandbox/user_intents", userIntentList),
    users: read(client, "/sandbox/users", userList),
    visits: read(client, "/sandbox/visits", visitList),
    texts: phone ? read(client, `/sandbox/messages?phone=${encodeURIComponent(phone)}`, messageList) : undefined,
  };
});

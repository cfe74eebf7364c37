import type { Metadata } from "next";
import { Keys } from "#components/console/pages/keys.tsx";
import { idempotencyKeyList } from "#lib/contract/sandbox.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";
import { readQuery, type Search } from "../console-query.ts";

export const metadata: Metadata = { title: "Idempotency keys" };

export default async function KeysPage(search: Search) {
  const client = await requireConsoleClient();
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    keys: read(client, "/sandbox/idempotency_keys", idempotencyKeyList),
  });
  return <Keys {...parts} query={await readQuery(search)} />;
}

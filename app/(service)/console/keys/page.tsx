import type { Metadata } from "next";
import { Keys } from "#components/console/pages/keys.tsx";
import { idempotencyKeyList } from "#lib/contract/sandbox-tokens.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Keys" };

export default async function KeysPage() {
  const client = await requireConsoleClient();
  const [lastEvent, keys] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/idempotency_keys", idempotencyKeyList),
  ]);
  return <Keys {...keys} lastEvent={lastEvent} />;
}

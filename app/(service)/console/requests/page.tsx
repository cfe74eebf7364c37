import type { Metadata } from "next";
import { Requests } from "#components/console/pages/requests.tsx";
import { requestList } from "#lib/contract/sandbox-events.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Requests" };

type Search = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function RequestsPage({ searchParams }: Search) {
  const client = await requireConsoleClient();
  const { q } = await searchParams;
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    requests: read(client, "/sandbox/requests", requestList),
  });
  return <Requests {...parts} search={q?.toString() ?? ""} />;
}

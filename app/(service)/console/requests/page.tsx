import type { Metadata } from "next";
import { Requests } from "#components/console/pages/requests.tsx";
import { requestList } from "#lib/contract/sandbox-requests.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Requests" };

type Search = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function RequestsPage({ searchParams }: Search) {
  const client = await requireConsoleClient();
  const { q } = await searchParams;
  const [lastEvent, list] = await Promise.all([readLastEvent(client), read(client, "/sandbox/requests", requestList)]);
  return <Requests {...list} search={q?.toString() ?? ""} lastEvent={lastEvent} />;
}

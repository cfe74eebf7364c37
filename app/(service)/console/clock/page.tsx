import type { Metadata } from "next";
import { Clock, dueSeconds } from "#components/console/pages/clock.tsx";
import { clockRecord, dueList } from "#lib/contract/sandbox-clock.ts";
import { read, readEvents, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Clock" };

export default async function ClockPage() {
  const client = await requireConsoleClient();
  const [lastEvent, clock, due, controls] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/clock", clockRecord),
    read(client, `/sandbox/clock/due?seconds=${dueSeconds}`, dueList),
    readEvents(client, "kind=control&limit=1000"),
  ]);
  const lastJump = controls.events
    .filter((event) => event.kind === "control")
    .findLast(({ path, status }) => path.startsWith("/sandbox/clock/") && status === 200);
  const since = lastJump ? await readEvents(client, `after=${lastJump.id}&limit=50`) : undefined;
  return <Clock clock={clock} due={due} lastJump={lastJump} sinceJump={since?.events ?? []} lastEvent={lastEvent} />;
}

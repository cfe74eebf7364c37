import type { Metadata } from "next";
import { Clock, duePath, jumpsPath, pathAfter } from "#components/console/pages/clock.tsx";
import { clockRecord, dueList } from "#lib/contract/sandbox.ts";
import { type ControlEvent, type EventPage, eventPage, type SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Clock" };

export default consolePage(Clock, (client) => {
  const lastJump = read(client, jumpsPath, eventPage).then(({ events }) => lastJumpAmong(events) ?? null);
  const sinceJump = lastJump.then((jump) => (jump ? read(client, pathAfter(jump), eventPage) : noEvents));
  return {
    clock: read(client, "/sandbox/clock", clockRecord),
    due: read(client, duePath, dueList),
    lastJump,
    sinceJump,
  };
});

function lastJumpAmong(events: SandboxEvent[]): ControlEvent | undefined {
  return (
    events
      .filter((event) => event.kind === "control")
      // Without an answer, the clock may have moved.
      .findLast(({ path, status }) => path.startsWith("/sandbox/clock/") && (status === 200 || status === null))
  );
}

const noEvents: EventPage = { events: [], earlier_exist: false, later_exist: false };

import { limits } from "../../../contract/limits.ts";
import {
  type ClockRecord,
  clockAdvance,
  clockRecord,
  type DueList,
  dueList,
  dueQuery,
} from "../../../contract/sandbox.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { refuseFields } from "../../http/frame/refusal.ts";
import { advanceClock, readClock, readDueItems, resetClock } from "../clock.ts";

const yearsAheadMax = limits.clockAheadSecondsMax / (365 * 24 * 60 * 60);

const getClock = defineRoute({
  operation: "getSandboxClock",
  method: "GET",
  path: "/sandbox/clock",
  who: "client",
  documentation: {
    summary: "Read the clock",
    description: "Every lifetime and schedule of this client follows it.",
    answer: { status: 200, body: clockRecord },
  },
  handle: async ({ caller: { client } }) => ({ status: 200, body: presentClock(await readClock(client.id)) }),
});

const getDueItems = defineRoute({
  operation: "listSandboxDueItems",
  method: "GET",
  path: "/sandbox/clock/due",
  who: "client",
  query: dueQuery,
  documentation: {
    summary: "List upcoming due items",
    description:
      "Screenings, transfers, and deliveries due within `seconds` or overdue, and tokens, codes, and visits that expire " +
      "within it, soonest first. Tokens and codes are listed under their user or intent.",
    answer: { status: 200, body: dueList },
  },
  handle: async ({ caller: { client }, query }) => {
    const { now, items } = await readDueItems(client.id, query);
    const due = items.map(({ kind, id, dueAt }) => ({ kind, id, due_at: dueAt.toISOString() }));
    const body: DueList = { now: now.toISOString(), due };
    return { status: 200, body };
  },
});

const postAdvance = defineRoute({
  operation: "advanceSandboxClock",
  method: "POST",
  path: "/sandbox/clock/advance",
  who: "client",
  body: clockAdvance,
  documentation: {
    summary: "Move the clock forward",
    description: "Due work runs right away; each overdue webhook makes one attempt.",
    answer: { status: 200, body: clockRecord },
  },
  handle: async ({ caller: { client }, body }) => {
    const clock = await advanceClock(client.id, body);
    const message = `The clock can be at most ${yearsAheadMax} years ahead of real time. Reset it first.`;
    if (!clock) return refuseFields([{ field: "seconds", message }]);
    return { status: 200, body: presentClock(clock) };
  },
});

const postReset = defineRoute({
  operation: "resetSandboxClock",
  method: "POST",
  path: "/sandbox/clock/reset",
  who: "client",
  documentation: {
    summary: "Reset the clock to real time",
    description:
      "Ends the client's authorizations with their codes and tokens, its open visits, and its unused identity " +
      "verification tokens. Scheduled screenings, transfers, and deliveries become due.",
    answer: { status: 200, body: clockRecord },
  },
  handle: async ({ caller: { client } }) => ({ status: 200, body: presentClock(await resetClock(client.id)) }),
});

/** The client's own clock. Decisions D15, D16 */
export const sandboxClockRoutes: Route[] = [getClock, getDueItems, postAdvance, postReset];

function presentClock({ now, offsetSeconds }: { now: Date; offsetSeconds: number }): ClockRecord {
  return { now: now.toISOString(), offset_seconds: offsetSeconds };
}

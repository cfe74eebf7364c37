import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../../lib/contract/limits.ts";
import { randomRecord } from "../../../lib/service/sandbox/checks/testing/random-record.ts";
import { servicePool } from "../../../lib/service/storage/database.ts";
import { type LoadConnection, openConnection } from "../load/http.ts";
import { figureOf } from "../measure/comparison.ts";
import { type BenchClient, createBenchClient } from "../service/people.ts";
import { startService } from "../service/start-service.ts";
import type { RunJob } from "./job.ts";

// Often enough to hit the longest step without adding load.
const callPauseMs = 5;

/** How long a sandbox takes to judge its largest event log, and how long that delays another client's call. */
export const runChecks: RunJob = async ({ reaper, rounds, scale, say }) => {
  const { origins } = await startService(reaper, { apis: 1, mode: "sandbox" });
  const origin = origins[0] ?? "";
  const [client, otherClient] = [await makeClient(), await makeClient()];
  const count = Math.round(limits.storedEventsMax * scale);
  await insertEvents(client, count);
  const [reports, calls] = [openConnection(origin), openConnection(origin)];
  const reportMs: number[] = [];
  const besideMs: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const report = timed(reports, "/sandbox/checks", client, 200);
    let isOver = false;
    const over = report.finally(() => {
      isOver = true;
    });
    let slowestMs = 0;
    while (!isOver) {
      slowestMs = Math.max(slowestMs, await timed(calls, `/v1/user_intent/${randomUUID()}`, otherClient, 404));
      await delay(callPauseMs);
    }
    say(`${count} events in ${(await over).toFixed(0)} ms, beside them a call in ${slowestMs.toFixed(0)} ms`);
    if (round === 0) continue;
    reportMs.push(await over);
    besideMs.push(slowestMs);
  }
  await Promise.all([reports.close(), calls.close()]);
  const lever = "shorten the longest block of the event loop";
  return [
    {
      job: `checks of ${count.toLocaleString("en-US")} events`,
      unit: "ms",
      ours: figureOf("ours", reportMs),
      goal: { kind: "alone", compare: "at most", value: 1000 },
      lever,
    },
    {
      job: "slowest call beside the checks",
      unit: "ms",
      ours: figureOf("ours", besideMs),
      goal: { kind: "alone", compare: "at most", value: 50 },
      lever,
    },
  ];
};

function makeClient(): Promise<BenchClient> {
  return createBenchClient({ sources: 1, sellers: 0 });
}

async function timed(connection: LoadConnection, path: string, { basic }: BenchClient, expected: number) {
  const startedAt = performance.now();
  const { status, text } = await connection.send({ method: "GET", path, headers: ["authorization", basic] });
  if (status !== expected) throw new Error(`GET ${path} returned ${status}: ${text.slice(0, 200)}`);
  return performance.now() - startedAt;
}

async function insertEvents({ clientId }: BenchClient, count: number): Promise<void> {
  const { events } = randomRecord({ seed: 1, events: count, people: 20 });
  const body = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field_${index}`, randomUUID()]));
  await servicePool().query(
    `insert into sandbox_events (client_id, kind, event, bodies, bytes, joins)
     select $1, e->>'kind', e, $3::json, length(e::text) + length($3::text), array(select json_array_elements_text(e->'joins'))
     from json_array_elements($2) with ordinality as t (e, index) order by index`,
    [
      clientId,
      JSON.stringify(events.slice(0, count).map(({ request, response, ...event }) => event)),
      JSON.stringify({ request: { body }, response: { body } }),
    ],
  );
}

import { divideAccount } from "../../lib/service/operations/money/divide-account.ts";
import { settledRound } from "../load/settled-round.ts";
import { type Comparison, latencyOf, throughputOf } from "../measure/comparison.ts";
import { type Measured, measureInTurn, type Side } from "../measure/in-turn.ts";
import { createBenchClient } from "../service/people.ts";
import { type BenchService, startService } from "../service/start-service.ts";
import type { JobContext, RunJob } from "./job.ts";
import { startBookings } from "./routine.ts";

const partsMeasured = [0, 1, 2, 4, 8];

/** Routines created and settled, all from one account: without parts and with several numbers of them, in one API process and in two. */
export const runParts: RunJob = async (context) => {
  const service = await startService(context.reaper, { apis: Math.max(2, context.processes) });
  const alone = await measureParts(context, { ...service, origins: service.origins.slice(0, 1) });
  return [...alone, ...(await measureParts(context, service))];
};

async function measureParts(context: JobContext, service: BenchService): Promise<Comparison[]> {
  const processes = service.origins.length;
  const sides: Record<string, Side> = {};
  for (const parts of partsMeasured) {
    const client = await createBenchClient({ sources: 1, sellers: 500 });
    const [accountId = ""] = client.sourceIds;
    await divideAccount(accountId, parts);
    const load = await startBookings(context, service, client);
    await settledRound(load, 1);
    const name = parts === 0 ? `no parts, ${processes} API` : `${parts} parts, ${processes} API`;
    sides[parts] = { name, measure: () => settledRound(load, context.seconds) };
  }
  const measured = await measureInTurn(sides, context);
  const undivided = measured["0"];
  return Object.values(measured).flatMap((one) => (undivided ? compare(one, undivided) : []));
}

function compare(divided: Measured, undivided: Measured): Comparison[] {
  if (divided === undivided) return [];
  const job = `routine, one account with ${divided.name}`;
  return [
    { job, unit: "/s", ours: throughputOf(divided), yardstick: throughputOf(undivided), goal: { kind: "none" } },
    {
      job: `${job}, p99`,
      unit: "ms",
      ours: latencyOf(divided, "p99Ms"),
      yardstick: latencyOf(undivided, "p99Ms"),
      goal: { kind: "none" },
    },
  ];
}

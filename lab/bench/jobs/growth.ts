import type { Round } from "../load/round.ts";
import { settledRound } from "../load/settled-round.ts";
import { startLoad } from "../load/start-load.ts";
import { startReceiver } from "../load/start-receiver.ts";
import { withCauses } from "../measure/causes.ts";
import { type Comparison, throughputOf } from "../measure/comparison.ts";
import { type LoadedSide, type Measured, measureInTurn } from "../measure/in-turn.ts";
import { fillService } from "../service/fill.ts";
import { type BenchClient, createBenchClient } from "../service/people.ts";
import { type BenchService, startService } from "../service/start-service.ts";
import type { JobContext, RunJob } from "./job.ts";
import { listScenarios, mixedScenarios } from "./mixed.ts";
import { startWaves } from "./webhooks.ts";

/** Everything once more with years of a busy service stored, beside the same service when it was empty. */
export const runGrowth: RunJob = async (context) => {
  const { reaper, scale, say } = context;
  const service = await startService(reaper, { apis: context.processes });
  const client = await createBenchClient({ sources: 200, sellers: 1000 });
  const hot = await createBenchClient({ sources: 1, sellers: 500 });
  const sides = await sidesOf(context, service, { client, hot });
  const empty = await measureInTurn(sides, context);
  say(`Filling the database by COPY, scale ${scale}`);
  await fillService(service.cluster.url, client, { scale, say });
  const full = await measureInTurn(sides, context);
  const comparisons: Comparison[] = [];
  for (const [job, { loadPid, measure }] of Object.entries(sides)) {
    const comparison: Comparison = {
      job: `${job}, much stored`,
      unit: "/s",
      ours: throughputOf(named(full[job], "ours, full")),
      yardstick: throughputOf(named(empty[job], "ours, empty")),
      goal: { kind: "beside", compare: "at least", ratio: 0.9 },
      lever: "look at the plans of its statements: none may walk past what is not asked for",
    };
    comparisons.push(...(await withCauses([comparison], { service, loadPid, work: measure })));
  }
  return comparisons;
};

function named(measured: Measured | undefined, name: string): Measured {
  if (!measured) throw new Error("Each side is measured before and after.");
  return { ...measured, name };
}

async function sidesOf(
  { reaper, connections, seconds }: JobContext,
  service: BenchService,
  { client, hot }: { client: BenchClient; hot: BenchClient },
): Promise<Record<string, LoadedSide>> {
  const scenarios = {
    ...mixedScenarios(client),
    "routine, one hot account": mixedScenarios(hot).routine,
    ...listScenarios(client),
  };
  const sides: Record<string, LoadedSide> = {};
  for (const [name, scenario] of Object.entries(scenarios)) {
    const load = await startLoad(
      name.replaceAll(/\W+/g, "-"),
      { origins: service.origins, connections, scenario },
      reaper,
    );
    const measure = (): Promise<Round> =>
      scenario.kind === "book" ? settledRound(load, seconds) : load.call("closedLoop", { warmUpSeconds: 1, seconds });
    sides[name] = { name, measure, loadPid: load.pid };
  }
  const receiver = await startReceiver("growth", reaper);
  const { clientId } = await createBenchClient({ sources: 1, sellers: 0, webhookUrl: receiver.url });
  return { ...sides, webhooks: { ...(await startWaves(clientId, receiver, seconds)), loadPid: receiver.pid } };
}

import { servicePool } from "../../../lib/service/storage/database.ts";
import type { Round } from "../load/round.ts";
import type { Scenario } from "../load/scenarios.ts";
import { settledRound } from "../load/settled-round.ts";
import { startLoad } from "../load/start-load.ts";
import { withCauses } from "../measure/causes.ts";
import { type Comparison, figureOf, throughputOf } from "../measure/comparison.ts";
import { measureInTurn } from "../measure/in-turn.ts";
import { createBenchClient } from "../service/people.ts";
import { startService } from "../service/start-service.ts";
import type { RunJob } from "./job.ts";
import { mixedScenarios } from "./mixed.ts";

/** Two API processes beside one: as fast on cores that also carry the load and PostgreSQL, and nothing lost or doubled. */
export const runProcesses: RunJob = async (context) => {
  const { reaper, connections, seconds } = context;
  const service = await startService(reaper, { apis: Math.max(2, context.processes) });
  const client = await createBenchClient({ sources: 200, sellers: 2000 });
  const [firstOrigin = ""] = service.origins;
  const comparisons: Comparison[] = [];
  let acknowledged = 0;
  const counted = async (round: Promise<Round>) => {
    const { count, late } = await round;
    acknowledged += count + late;
    return round;
  };
  for (const [job, scenario] of Object.entries(mixedScenarios(client))) {
    const isBooking = scenario.kind === "book";
    const start = (name: string, origins: string[], part: Scenario) =>
      startLoad(name, { origins, connections, scenario: part }, reaper);
    const [ownOne, ownMany] = halves(scenario);
    const one = await start("one", [firstOrigin], ownOne);
    const many = await start("many", service.origins, ownMany);
    const measure = (load: typeof one) => () =>
      isBooking ? counted(settledRound(load, seconds)) : load.call("closedLoop", { warmUpSeconds: 1, seconds });
    const measured = await measureInTurn(
      {
        many: { name: `ours in ${service.origins.length} processes`, measure: measure(many) },
        one: { name: "ours in one", measure: measure(one) },
      },
      context,
    );
    const comparison: Comparison = {
      job: `${job}, processes`,
      unit: "/s",
      ours: throughputOf(measured.many),
      yardstick: throughputOf(measured.one),
      goal: { kind: "beside", compare: "at least", ratio: 0.95 },
      lever: "larger sets wait for fewer locks: one set in flight for each hot account over all processes",
    };
    comparisons.push(...(await withCauses([comparison], { service, loadPid: many.pid, work: measure(many) })));
  }
  const { rows } = await servicePool().query<{ count: number }>("select count(*)::int as count from transfers");
  comparisons.push({
    job: "routines lost or doubled, processes",
    unit: "",
    ours: figureOf("ours", [Math.abs((rows[0]?.count ?? 0) - acknowledged)]),
    goal: { kind: "alone", compare: "at most", value: 0 },
  });
  return comparisons;
};

/** Two loads must not hold the same refresh tokens. */
function halves(scenario: Scenario): [Scenario, Scenario] {
  if (scenario.kind !== "refresh") return [scenario, scenario];
  const { refreshTokens } = scenario;
  const half = refreshTokens.length / 2;
  return [
    { ...scenario, refreshTokens: refreshTokens.slice(0, half) },
    { ...scenario, refreshTokens: refreshTokens.slice(half) },
  ];
}

import { settledRound } from "../load/settled-round.ts";
import { startLoad } from "../load/start-load.ts";
import { withCauses } from "../measure/causes.ts";
import { type Comparison, throughputOf } from "../measure/comparison.ts";
import { measureInTurn, type Side } from "../measure/in-turn.ts";
import { startBenchCluster } from "../processes/cluster.ts";
import { type BenchClient, createBenchClient } from "../service/people.ts";
import { type BenchService, startService } from "../service/start-service.ts";
import type { LedgerProcess } from "../yardsticks/ledger/ledger.ts";
import { startYardstick } from "../yardsticks/start-yardstick.ts";
import type { JobContext, RunJob } from "./job.ts";

const sellers = 500;
const manySources = 200;
const lever = "cheaper rows: fewer indexes on transfers and routines";

export const runRoutineSpread: RunJob = (context) =>
  compareRoutines(context, { job: "routine, spread", sources: manySources, goals: { alone: 2 } });

/** Routines created and settled from a single account, like a business's payments. */
export const runRoutineHot: RunJob = (context) =>
  compareRoutines(context, { job: "routine, one hot account", sources: 1, goals: { alone: 4, batched: 1 } });

type Yardstick = "alone" | "batched";

async function compareRoutines(
  context: JobContext,
  { job, sources, goals }: { job: string; sources: number; goals: Partial<Record<Yardstick, number>> },
): Promise<Comparison[]> {
  const { reaper, connections, processes, seconds } = context;
  const service = await startService(reaper, { apis: processes });
  const client = await createBenchClient({ sources, sellers });
  const ours = await startBookings(context, service, client);
  const startLedger = async (yardstick: Yardstick): Promise<Side> => {
    const batched = yardstick === "batched";
    const cluster = await startBenchCluster(`ledger-${yardstick}`, reaper);
    const ledger = await startYardstick<LedgerProcess>("ledger/ledger.ts", { reaper });
    await ledger.call("start", { databaseUrl: cluster.url });
    await ledger.call("prepare", { sources, destinations: sellers, callers: connections, batched });
    const name = `a ledger in SQL, ${batched ? "batched" : "one a transaction"}`;
    return { name, measure: () => ledger.call("closedLoop", { warmUpSeconds: 1, seconds }) };
  };

  // Unmeasured warm-up.
  await settledRound(ours, 1);
  const sides: Record<string, Side> = { ours: { name: "ours", measure: () => settledRound(ours, seconds) } };
  for (const yardstick of Object.keys(goals) as Yardstick[]) sides[yardstick] = await startLedger(yardstick);
  const measured = await measureInTurn(sides, context);
  const comparisons = Object.entries(goals).flatMap(([yardstick, ratio]): Comparison[] => {
    const [ours, peer] = [measured["ours"], measured[yardstick]];
    if (!ours || !peer) return [];
    const goal = { kind: "beside", compare: "at least", ratio } as const;
    return [{ job, unit: "/s", ours: throughputOf(ours), yardstick: throughputOf(peer), goal, lever }];
  });
  return withCauses(comparisons, { service, loadPid: ours.pid, work: () => settledRound(ours, seconds) });
}

function startBookings(
  { reaper, connections }: JobContext,
  service: BenchService,
  { businessToken, sourceIds, sellers }: BenchClient,
) {
  const destinationIds = sellers.map(({ walletId }) => walletId);
  const scenario = { kind: "book" as const, authorization: `Bearer ${businessToken}`, sourceIds, destinationIds };
  return startLoad("ours", { origins: service.origins, connections, scenario }, reaper);
}

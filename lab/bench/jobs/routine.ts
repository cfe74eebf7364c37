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
import type { StatementsProcess } from "../yardsticks/statements.ts";
import type { JobContext, RunJob } from "./job.ts";

const sellers = 500;
const manySources = 200;
const lever = "cheaper rows: fewer indexes on transfers and routines";

export const runRoutineSpread: RunJob = (context) =>
  compareRoutines(context, { job: "routine, spread", sources: manySources, goals: { alone: 2 } });

/** Routines created and settled from a single account, as a business's payments are. */
export const runRoutineHot: RunJob = (context) =>
  compareRoutines(context, { job: "routine, one hot account", sources: 1, goals: { alone: 4, batched: 1 } });

type Yardstick = "alone" | "batched" | "statement";

async function compareRoutines(
  context: JobContext,
  { job, sources, goals }: { job: string; sources: number; goals: Partial<Record<Yardstick, number>> },
): Promise<Comparison[]> {
  const { measured, service, ours } = await measureRoutines(context, sources);
  const compare = (yardstick: Yardstick): Comparison => {
    const ratio = goals[yardstick];
    return {
      job,
      unit: "/s",
      ours: throughputOf(measured.ours),
      yardstick: throughputOf(measured[yardstick]),
      goal: ratio === undefined ? { kind: "none" } : { kind: "beside", compare: "at least", ratio },
      lever,
    };
  };
  const comparisons = [compare("alone"), compare("batched"), compare("statement")];
  return withCauses(comparisons, { service, loadPid: ours.pid, work: () => settledRound(ours, context.seconds) });
}

async function measureRoutines(context: JobContext, sources: number) {
  const { reaper, connections, processes, seconds } = context;
  const service = await startService(reaper, { apis: processes });
  const client = await createBenchClient({ sources, sellers });
  const ours = await startBookings(context, service, client);
  const other = await createBenchClient({ sources, sellers });
  const statements = await startYardstick<StatementsProcess>("statements.ts", { reaper, env: service.settings });
  await statements.call("prepareBook", {
    ...{ clientId: other.clientId, userId: other.businessUserId, sourceIds: other.sourceIds, callers: connections },
    destinationIds: other.sellers.map(({ walletId }) => walletId),
  });
  const startLedger = async (name: string, batched: boolean): Promise<Side> => {
    const cluster = await startBenchCluster(`ledger-${batched ? "batched" : "alone"}`, reaper);
    const ledger = await startYardstick<LedgerProcess>("ledger/ledger.ts", { reaper });
    await ledger.call("start", { databaseUrl: cluster.url });
    await ledger.call("prepare", { sources, destinations: sellers, callers: connections, batched });
    return { name, measure: () => ledger.call("closedLoop", { warmUpSeconds: 1, seconds }) };
  };

  // Unmeasured warm-up.
  await settledRound(ours, 1);
  const measured = await measureInTurn(
    {
      ours: { name: "ours", measure: () => settledRound(ours, seconds) },
      alone: await startLedger("a ledger in SQL, one a transaction", false),
      batched: await startLedger("a ledger in SQL, batched", true),
      statement: {
        name: "our SQL, a statement for each, not settled",
        measure: () => statements.call("closedLoop", { warmUpSeconds: 1, seconds }),
      },
    },
    context,
  );
  return { measured, service, ours };
}

export function startBookings(
  { reaper, connections }: JobContext,
  service: BenchService,
  { businessToken, sourceIds, sellers }: BenchClient,
) {
  const destinationIds = sellers.map(({ walletId }) => walletId);
  const scenario = { kind: "book" as const, authorization: `Bearer ${businessToken}`, sourceIds, destinationIds };
  return startLoad("ours", { origins: service.origins, connections, scenario }, reaper);
}

import { servicePool } from "../../../lib/service/storage/database.ts";
import { cpuSeconds, cpuSecondsOfCluster, cpuSecondsOfMachine } from "../processes/cpu.ts";
import type { BenchService } from "../service/start-service.ts";
import { type Comparison, judge } from "./comparison.ts";

const sampleMs = 50;
const waitsShown = 3;

type Watched = { service: BenchService; loadPid: number; others?: Record<string, number> };

/**
 * Explains missed goals by profiling the service's processes and PostgreSQL in an extra round. Measured rounds aren't
 * profiled, because that costs time.
 */
export async function withCauses(
  comparisons: Comparison[],
  { service, loadPid, work, others = {} }: Watched & { work: () => Promise<unknown> },
): Promise<Comparison[]> {
  const isOpen = (comparison: Comparison) => judge(comparison).kind === "missed" && comparison.cause === undefined;
  if (!comparisons.some(isOpen)) return comparisons;
  const cause = await watch({ service, loadPid, others }, work);
  return comparisons.map((comparison) => (isOpen(comparison) ? { ...comparison, cause } : comparison));
}

async function watch({ service, loadPid, others }: Required<Watched>, work: () => Promise<unknown>): Promise<string> {
  const processes: Record<string, () => number> = {
    ...Object.fromEntries(Object.entries(others).map(([name, pid]) => [name, () => cpuSeconds(pid)])),
    API: () => service.apis.reduce((total, { pid }) => total + cpuSeconds(pid), 0),
    worker: () => cpuSeconds(service.worker.pid),
    PostgreSQL: () => cpuSecondsOfCluster(service.cluster.pid),
    load: () => cpuSeconds(loadPid),
  };
  const usage = () => Object.values(processes).map((read) => read());
  const machineBefore = cpuSecondsOfMachine();
  const before = usage();
  const startedAt = performance.now();
  const waits = new Map<string, number>();
  const sampling = setInterval(async () => {
    for (const { wait, count } of await readWaits()) waits.set(wait, (waits.get(wait) ?? 0) + count);
  }, sampleMs);
  await work();
  clearInterval(sampling);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = usage().map((after, index) => (after - (before[index] ?? Number.NaN)) / seconds);
  const shares = Object.keys(processes).map((name, index) => `${name} ${percent(used[index] ?? Number.NaN)}`);
  const allElse = (cpuSecondsOfMachine() - machineBefore) / seconds - used.reduce((sum, share) => sum + share, 0);
  return `${shares.join(", ")}, all else ${percent(allElse)} of a core; ${describeWaits(waits)}`;
}

type Wait = { wait: string; count: number };

// An idle transaction waits for its client process.
async function readWaits(): Promise<Wait[]> {
  const { rows } = await servicePool().query<Wait>(`
    select case when state = 'active' then coalesce(wait_event_type || ' ' || wait_event, 'running')
        else 'its own process' end as wait, count(*)::int as count
    from pg_stat_activity
    where backend_type = 'client backend' and state in ('active', 'idle in transaction') and pid <> pg_backend_pid()
    group by 1`);
  return rows;
}

export function describeWaits(waits: ReadonlyMap<string, number>): string {
  const total = [...waits.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return "no transactions were seen";
  const greatest = [...waits].sort(([, left], [, right]) => right - left).slice(0, waitsShown);
  const words = greatest.map(([wait, count]) =>
    wait === "running" ? `${percent(count / total)} ran` : `${percent(count / total)} waited for ${wait}`,
  );
  return `of the transactions ${words.join(", ")}`;
}

function percent(share: number): string {
  return Number.isNaN(share) ? "?" : `${Math.round(share * 100)} %`;
}

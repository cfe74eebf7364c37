import { setTimeout as delay } from "node:timers/promises";
import { reconcile } from "../../lib/service/operations/money/reconcile.ts";
import { chooseProviders } from "../../lib/service/providers.ts";
import { sandboxProviders } from "../../lib/service/sandbox/providers.ts";
import { servicePool } from "../../lib/service/storage/database.ts";
import { startReaper } from "../crash/processes/start-reaper.ts";
import { listScenarios, mixedScenarios } from "./jobs/mixed.ts";
import { settledRound } from "./load/settled-round.ts";
import { startLoad } from "./load/start-load.ts";
import { answerCalls } from "./processes/calls.ts";
import { fillService } from "./service/fill.ts";
import { createBenchClient } from "./service/people.ts";
import { startService } from "./service/start-service.ts";

// One size per process and cluster.

const seconds = 3;

const handlers = {
  measure: async ({ transfers }: { transfers: number }) => {
    const reaper = startReaper();
    try {
      const service = await startService(reaper, { apis: 1 });
      // All money moves through one account, as a real operator's does.
      const client = await createBenchClient({ sources: 1, sellers: 500 });
      const say = (sentence: string) => void process.stdout.write(`  ${sentence}\n`);
      await fillService(service.cluster.url, client, { scale: transfers / 10_000_000, say });
      const [gigabytes, tables] = [await readGigabytes(), await readTables(transfers)];
      const calls = [];
      for (const [call, scenario] of Object.entries({ ...mixedScenarios(client), ...listScenarios(client) })) {
        const name = call.replaceAll(/\W+/g, "-");
        const load = await startLoad(name, { origins: service.origins, connections: 8, scenario }, reaper);
        const before = await readPages();
        const round =
          scenario.kind === "book"
            ? await settledRound(load, seconds)
            : await load.call("closedLoop", { warmUpSeconds: 0, seconds });
        const pages = ((await readPages()) - before) / (round.count + round.late);
        calls.push({ call, "pages each": pages.toFixed(1), "p50 ms": round.p50Ms.toFixed(2) });
        await load.stop();
      }
      return { gigabytes, tables, calls, reconciliation: await timeReconciliation() };
    } finally {
      await reaper.finish();
    }
  },
};

export type SizeProcess = typeof handlers;

answerCalls(handlers);

async function timeReconciliation(): Promise<string> {
  chooseProviders(sandboxProviders);
  const startedAt = performance.now();
  const compared = () => `after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
  try {
    const { postings, problemCount } = await reconcile();
    return `Reconciled ${compared()}: ${postings} postings, ${problemCount} problems.`;
  } catch (error) {
    return `The reconciliation failed ${compared()}: ${error instanceof Error ? error.message : error}`;
  }
}

async function readTables(transfers: number) {
  const { rows } = await servicePool().query<{ table: string; rows: number; heap: number; indexes: number }>(`
    select coalesce(i.inhparent, c.oid)::regclass::text as table, sum(greatest(c.reltuples, 0))::float8 as rows,
      sum(pg_table_size(c.oid))::float8 as heap, sum(pg_indexes_size(c.oid))::float8 as indexes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by 1 having sum(pg_total_relation_size(c.oid)) > 1e6 order by sum(pg_total_relation_size(c.oid)) desc`);
  return rows.map(({ table, rows: count, heap, indexes }) => ({
    table,
    rows: count,
    "bytes a row": Math.round(heap / count),
    "in indexes": Math.round(indexes / count),
    "bytes a transfer": Math.round((heap + indexes) / transfers),
  }));
}

async function readGigabytes(): Promise<number> {
  const { rows } = await servicePool().query<{ bytes: number }>(
    "select pg_database_size(current_database())::float8 as bytes",
  );
  return (rows[0]?.bytes ?? 0) / 1e9;
}

/** Pages touched so far, independent of other load. */
async function readPages(): Promise<number> {
  // Backends report touched pages within a second.
  await delay(1500);
  const { rows } = await servicePool().query<{ pages: number }>(
    "select (blks_hit + blks_read)::float8 as pages from pg_stat_database where datname = current_database()",
  );
  return rows[0]?.pages ?? 0;
}

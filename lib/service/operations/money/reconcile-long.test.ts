import { expect, test } from "vitest";
import { servicePool } from "../../storage/database.ts";
import { createClientWithSeller } from "../../testing/client-with-seller.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { reconcile, reconcileDaily } from "./reconcile.ts";

// No other statement of this file may take as long as the one that is held up here.
const limitMs = 400;
process.env["SERVICE_DATABASE_URL"] += `?statement_timeout=${limitMs}&query_timeout=${limitMs}`;

test("an account with so many entries that their sum takes longer than a statement may is compared all the same", async () => {
  await createClientWithSeller();
  const held = await holdRows("lock table entries in access exclusive mode", []);
  const reconciled = reconcile();
  await held.waiters(1);
  await expect.poll(longestWaitMs).toBeGreaterThan(2 * limitMs);
  await held.release();
  expect(await reconciled).toMatchObject({ accounts: 3, problemCount: 0 });
});

test("while one takes hours, no process begins another beside it", async () => {
  const countBegun = async () => (await servicePool().query("select from reconciliations")).rowCount;
  await servicePool().query("delete from reconciliations");
  const held = await holdRows("lock table entries in access exclusive mode", []);
  const first = reconcileDaily(new AbortController().signal);
  await held.waiters(1);
  await servicePool().query("update reconciliations set started_real_at = now() - interval '3 hours'");
  await reconcileDaily(new AbortController().signal);
  expect(await countBegun()).toBe(1);
  await held.release();
  await first;
  expect(await countBegun()).toBe(1);
});

async function longestWaitMs(): Promise<number> {
  const { rows } = await servicePool().query<{ ms: number }>(
    `select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 * 1000 as ms
     from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.ms ?? 0;
}

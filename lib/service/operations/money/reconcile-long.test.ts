import { expect, test } from "vitest";
import { servicePool } from "../../storage/database.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { reconcile, reconcileDaily } from "./reconcile.ts";

// No other statement of this file may take as long as the delayed one.
const limitMs = 800;
process.env["SERVICE_DATABASE_URL"] += `?statement_timeout=${limitMs}&query_timeout=${limitMs}`;

test("reconciles an account whose sum takes longer than the statement timeout", async () => {
  await createClientWithSeller();
  const held = await holdRows("lock table entries in access exclusive mode", []);
  const reconciled = reconcile();
  await held.waiters(1);
  await expect.poll(longestWaitMs).toBeGreaterThan(2 * limitMs);
  await held.release();
  expect(await reconciled).toMatchObject({ accounts: 3, problemCount: 0 });
});

test("only one reconciliation runs at a time, unless the other made no progress for two hours", async () => {
  const countBegun = async () => (await servicePool().query("select from reconciliations")).rowCount;
  const startedAgo = (ago: string) =>
    servicePool().query("update reconciliations set started_real_at = now() - $1::interval", [ago]);
  await servicePool().query("delete from reconciliations");
  const held = await holdRows("lock table entries in access exclusive mode", []);
  const first = reconcileDaily(new AbortController().signal, () => {});
  await held.waiters(1);
  await startedAgo("110 minutes");
  await reconcileDaily(new AbortController().signal, () => {});
  expect(await countBegun()).toBe(1);
  await startedAgo("130 minutes");
  const second = reconcileDaily(new AbortController().signal, () => {});
  await held.waiters(2);
  expect(await countBegun()).toBe(2);
  await startedAgo("130 minutes");
  await held.release();
  await Promise.all([first, second]);
  const { rows } = await servicePool().query<{ isAlive: boolean }>(
    `select started_real_at > now() - interval '1 minute' as "isAlive" from reconciliations`,
  );
  expect(rows).toEqual([{ isAlive: true }, { isAlive: true }]);
});

test("each page has its own transaction, so vacuum is not blocked", async () => {
  const first = await holdRows("lock table entries in access exclusive mode", []);
  const reconciled = reconcile();
  await first.waiters(1);
  const last = await holdRows("lock table idempotency_keys in access exclusive mode", []);
  const { rows: later } = await servicePool().query<{ at: string }>("select clock_timestamp()::text as at");
  await first.release();
  // The second page waits, and no open transaction is older than the end of the first page.
  const countWaiting = async () => {
    const { rows } = await servicePool().query<{ older: number; newer: number }>(
      `select count(*) filter (where xact_start < $1::timestamptz)::int as older,
         count(*) filter (where xact_start >= $1::timestamptz)::int as newer
       from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      [later[0]?.at],
    );
    return rows[0];
  };
  await expect.poll(countWaiting).toEqual({ older: 0, newer: 1 });
  await last.release();
  expect(await reconciled).toMatchObject({ problemCount: 0 });
});

async function longestWaitMs(): Promise<number> {
  const { rows } = await servicePool().query<{ ms: number }>(
    `select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 * 1000 as ms
     from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.ms ?? 0;
}

import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { reconcileDaily } from "../operations/money/reconcile.ts";
import { database, servicePool } from "../storage/database.ts";
import { findLastReconciliation } from "../storage/reconciliations.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { createClientWithSeller } from "../testing/routines.ts";
import { startReconciler } from "./start-workers.ts";

const readLog = logToFile();

test("the ledger is reconciled once a day across all processes", async () => {
  await servicePool().query("delete from reconciliations");
  const [first, second] = [startReconciler(), startReconciler()];
  await expect.poll(finishedCount).toBeGreaterThan(0);
  await Promise.all([first.stop(), second.stop()]);
  const count = await finishedCount();
  await servicePool().query("update reconciliations set finished_real_at = now() - interval '23 hours'");
  const third = startReconciler();
  await third.stop();
  expect(await finishedCount()).toBe(count);

  await servicePool().query("update reconciliations set finished_real_at = now() - interval '25 hours'");
  const nextDay = startReconciler();
  await expect.poll(finishedCount).toBeGreaterThan(count);
  await nextDay.stop();
});

test("a problem is logged and shown until the next reconciliation; results are kept for 90 days", async () => {
  const { operatingId } = await createClientWithSeller();
  await servicePool().query("delete from reconciliations");
  const ago = (started: string) =>
    servicePool().query(
      `insert into reconciliations (id, started_real_at, finished_real_at, problems)
       values ($1, now() - $2::interval, now() - $2::interval, 7)`,
      [newId(), started],
    );
  await ago("91 days");
  await ago("89 days");
  const run = async (heldCents: number) => {
    await servicePool().query("update accounts set held_cents = $2 where id = $1", [operatingId, heldCents]);
    await servicePool().query(
      "update reconciliations set finished_real_at = now() - interval '25 hours' where finished_real_at > now() - interval '25 hours'",
    );
    let pages = 0;
    await reconcileDaily(new AbortController().signal, () => pages++);
    expect(pages).toBeGreaterThan(5);
    return [...(await results()), (await findLastReconciliation(database()))?.problems];
  };
  const results = async () =>
    (
      await servicePool().query<{ problems: number }>("select problems from reconciliations order by started_real_at")
    ).rows.map(({ problems }) => problems);
  expect(await run(1)).toEqual([7, 1, 1]);
  const logged = () => readLog().filter(({ msg }) => msg === "the ledger has a problem");
  await expect.poll(() => logged().length).toBe(1);
  expect(logged()[0]?.["problem"]).toContain(`Account ${operatingId} has 1 cents held`);
  expect(await run(0)).toEqual([7, 1, 0, 0]);
});

test("stopping ends a reconciliation without a result", async () => {
  await servicePool().query("delete from reconciliations");
  const held = await holdRows("lock table entries in access exclusive mode", []);
  const worker = startReconciler();
  await held.waiters(1);
  const stopped = worker.stop();
  await held.release();
  await stopped;
  expect(await finishedCount()).toBe(0);
});

async function finishedCount(): Promise<number> {
  const { rows } = await servicePool().query<{ n: number }>(
    "select count(*)::int as n from reconciliations where finished_real_at is not null",
  );
  return rows[0]?.n ?? 0;
}

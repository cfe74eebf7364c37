import { expect, test } from "vitest";
import { servicePool } from "../storage/database.ts";
import { startReconciler } from "./start-workers.ts";

test("the ledger is reconciled once a day across all processes", async () => {
  await servicePool().query("delete from reconciliations");
  const [first, second] = [startReconciler(), startReconciler()];
  await expect.poll(finishedCount).toBeGreaterThan(0);
  await Promise.all([first.stop(), second.stop()]);
  const count = await finishedCount();
  const third = startReconciler();
  await third.stop();
  expect(await finishedCount()).toBe(count);

  await servicePool().query("update reconciliations set finished_real_at = now() - interval '25 hours'");
  const nextDay = startReconciler();
  await expect.poll(finishedCount).toBeGreaterThan(count);
  await nextDay.stop();
});

async function finishedCount(): Promise<number> {
  const { rows } = await servicePool().query<{ n: number }>(
    "select count(*)::int as n from reconciliations where finished_real_at is not null",
  );
  return rows[0]?.n ?? 0;
}

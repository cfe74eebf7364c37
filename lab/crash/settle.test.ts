import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../lib/kit/ids.ts";
import { cellsOf } from "../../lib/service/cells.ts";
import { chooseProviders } from "../../lib/service/providers.ts";
import { sandboxProviders } from "../../lib/service/sandbox/providers.ts";
import { inTransaction, servicePool } from "../../lib/service/storage/database.ts";
import { insertDeliveries } from "../../lib/service/storage/deliveries.ts";
import { migrateCells } from "../../lib/service/storage/migrate-cells.ts";
import { createTestClient } from "../../lib/service/testing/clients.ts";
import { processSettings } from "./harbor.ts";
import { startCrashableCluster } from "./processes/cluster.ts";
import { startReaper } from "./processes/start-reaper.ts";
import { settle } from "./run-crash.ts";

// A drill compares results once no work is left. No worker runs here.

const reaper = startReaper();

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-settle-"));
  reaper.send({ folder });
  const url = (await startCrashableCluster(reaper, {}, folder)).url();
  const settings = { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_DIRECT_URL: "", SERVICE_CELLS: "1" };
  Object.assign(process.env, processSettings(settings), { LOG_LEVEL: "silent" });
  chooseProviders(sandboxProviders);
  await migrateCells(url, cellsOf(1));
});
afterAll(async () => {
  await servicePool().end();
  await reaper.finish();
});

const idle = { awaitsLeases: true, idleMsMax: 500 };

/** A failed webhook that is retried after `seconds`. */
async function insertRetry(seconds: number): Promise<void> {
  const { clientId } = await createTestClient();
  const event = {
    webhookType: "user_updated" as const,
    userId: newId(),
    resourceId: newId(),
    traceId: "ab".repeat(16),
  };
  await inTransaction((tx) => insertDeliveries(tx, [{ clientId, ...event }]));
  const postpone = `update deliveries set is_due = false, attempts = 2,
    next_attempt_real_at = now() + make_interval(secs => $1) where client_id = $2`;
  await servicePool().query(postpone, [seconds, clientId]);
}

async function deliver(): Promise<number> {
  const { rowCount } = await servicePool().query(
    "update deliveries set status = 'delivered', next_attempt_real_at = null where status = 'pending'",
  );
  return rowCount ?? 0;
}

test("a drill waits for a webhook's third attempt, then the usual time", async () => {
  await insertRetry(3);
  const startedAt = performance.now();
  const settling = settle(idle).then(() => performance.now() - startedAt);
  setTimeout(deliver, 3200);
  expect(await settling).toBeGreaterThan(3000);
  expect(await deliver()).toBe(0);
});

test("a drill gives up on overdue work, and doesn't wait for a fourth attempt", async () => {
  await insertRetry(0);
  await insertRetry(30 * 60);
  await settle(idle);
  expect(await deliver()).toBe(2);
});

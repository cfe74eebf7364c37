import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Gauge, Registry } from "prom-client";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { backlogGauges, readBacklog } from "../../kit/outbox.ts";
import { processMetrics } from "../../kit/process-metrics.ts";
import { cells, currentCell, hasSeveralCells, inCell } from "../cells.ts";
import { serviceConfig } from "../config.ts";
import { metricsRegistry } from "../metrics.ts";
import { database, servicePool } from "../storage/database.ts";
import { readDatabaseCondition } from "../storage/database-condition.ts";
import { readOutboxBacklog } from "../storage/delivery-queue.ts";
import { findKeyAge } from "../storage/encryption-keys.ts";
import { countQuarantined } from "../storage/quarantine.ts";
import { findLastReconciliation } from "../storage/reconciliations.ts";
import { quarantinedKinds } from "../storage/schema.ts";
import { findOldestDueScreening } from "../storage/screenings.ts";
import { findOldestSettlementOrders } from "../storage/settlement-orders.ts";
import { findOldestDueTransfer } from "../storage/settlements.ts";
import { countEndpoints } from "../storage/webhook-endpoints.ts";

type AddGauge = (name: string, help: string, value: number | null | undefined, labels?: Record<string, string>) => void;

/**
 * In Prometheus' text format: this process's counters and pool, and the state that all processes share. With several cells,
 * each has its own values, labeled `cell`.
 */
export async function readMetrics(): Promise<{ contentType: string; text: string }> {
  // One registry per scrape, so that concurrent scrapes don't mix and no old values remain.
  const now = new Registry();
  const gauges = new Map<string, Gauge>();
  // Unknown values are omitted, because unknown is not zero.
  const gauge: AddGauge = (name, help, value, labels = {}) => {
    if (typeof value !== "number") return;
    const known = gauges.get(name) ?? new Gauge({ name, help, labelNames: Object.keys(labels), registers: [now] });
    gauges.set(name, known);
    known.set(labels, value);
  };

  // Concurrently, so that a slow database doesn't make the scrape time out.
  await Promise.all([...cells().map((cell) => inCell(cell, () => addCell(gauge))), addDisk(gauge)]);

  const text = await Registry.merge([metricsRegistry(), now]).metrics();
  return { contentType: now.contentType, text: text + (await processMetrics()) };
}

async function addCell(gauge: AddGauge): Promise<void> {
  if (!hasSeveralCells()) return addWork(gauge);
  const cell = currentCell();
  try {
    await addWork((name, help, value, labels) => gauge(name, help, value, { ...labels, cell: String(cell) }));
  } catch (error) {
    log().warn({ cell, error: describeError(error) }, "a cell's metrics could not be read");
  }
}

async function addWork(gauge: AddGauge): Promise<void> {
  const { totalCount, idleCount, waitingCount } = servicePool();
  gauge("plainbook_pool_connections", "Database connections of this process.", totalCount);
  gauge("plainbook_pool_idle_connections", "Idle database connections of this process.", idleCount);
  gauge("plainbook_pool_waiting", "Callers waiting for a database connection.", waitingCount);
  await Promise.all([
    addOutbox(gauge),
    addMessages(gauge),
    addDueWork(gauge),
    addEndpoints(gauge),
    addQuarantine(gauge),
    addBooks(gauge),
    addKey(gauge),
    addDatabase(gauge),
  ]);
}

async function addOutbox(gauge: AddGauge): Promise<void> {
  const { depth, oldestSeconds } = await readOutboxBacklog(database());
  gauge("plainbook_outbox_depth", "Due webhooks that are not delivered.", depth);
  gauge("plainbook_outbox_oldest_seconds", "Age of the oldest due webhook.", oldestSeconds);
}

async function addMessages(gauge: AddGauge): Promise<void> {
  const { waiting, oldestSeconds } = await readBacklog({ pool: servicePool(), table: "messages" });
  gauge(...backlogGauges.waiting, waiting, { app: "service" });
  gauge(...backlogGauges.oldest, oldestSeconds, { app: "service" });
}

async function addDueWork(gauge: AddGauge): Promise<void> {
  const help = "How late the oldest due transfer, settlement order or screening is; 0 if none.";
  const add = (kind: string, seconds: number) => gauge("plainbook_due_oldest_seconds", help, seconds, { kind });
  add("transfer", await findOldestDueTransfer(servicePool()));
  add("screening", await findOldestDueScreening(database()));
  const { openSeconds, lateSeconds } = await findOldestSettlementOrders(database());
  add("settlement_order", lateSeconds);
  gauge(
    "plainbook_settlement_order_oldest_seconds",
    "Age of the oldest transfer that the settlement provider has not settled yet; 0 if none.",
    openSeconds,
  );
}

async function addQuarantine(gauge: AddGauge): Promise<void> {
  const counts = new Map((await countQuarantined(database())).map(({ kind, count }) => [kind, count]));
  const help = "Rows set aside because they could not be processed, by kind.";
  for (const kind of quarantinedKinds) gauge("plainbook_set_aside", help, counts.get(kind) ?? 0, { kind });
}

async function addBooks(gauge: AddGauge): Promise<void> {
  const { problems, secondsAgo } = (await findLastReconciliation(database())) ?? {};
  gauge("plainbook_ledger_problems", "Problems found by the last reconciliation.", problems);
  gauge("plainbook_ledger_reconciled_seconds", "Time since the last reconciliation.", secondsAgo);
}

async function addEndpoints(gauge: AddGauge): Promise<void> {
  const waiting = "Webhooks waiting for those endpoints; counts stop at a thousand per endpoint.";
  for (const { state, count, waitingCount } of await countEndpoints(database())) {
    gauge("plainbook_endpoints", "Webhook endpoints that are failing or disabled.", count, { state });
    gauge("plainbook_endpoint_waiting", waiting, waitingCount, { state });
  }
}

async function addDatabase(gauge: AddGauge): Promise<void> {
  const condition = await readDatabaseCondition(database());
  gauge("plainbook_database_bytes", "Size of the service's database.", condition?.databaseBytes);
  gauge(
    "plainbook_oldest_transaction_seconds",
    "Age of the oldest open transaction in the database.",
    condition?.oldestTransactionSeconds,
  );
  gauge("plainbook_replication_standbys", "Standbys and archivers streaming from this database.", condition?.standbys);
  gauge("plainbook_replication_lag_bytes", "Replication lag of the slowest standby, in bytes.", condition?.lagBytes);
  gauge(
    "plainbook_replication_lag_seconds",
    "Replication lag of the slowest standby, in seconds.",
    condition?.lagSeconds,
  );
  gauge("plainbook_replication_retained_bytes", "WAL retained for the slowest slot.", condition?.retainedBytes);
  gauge("plainbook_wal_archived_seconds", "Time since a WAL file was last archived.", condition?.archivedSeconds);
  const waiting = "How long the oldest finished WAL file has waited to be archived.";
  gauge("plainbook_wal_archive_waiting_seconds", waiting, condition?.archiveWaitingSeconds);
  const isFailing = condition && Number(condition.isArchivingFailing);
  gauge("plainbook_wal_archive_failing", "1 if the last attempt to archive WAL failed.", isFailing);
}

async function addKey(gauge: AddGauge): Promise<void> {
  const { keyring } = serviceConfig();
  const key = await findKeyAge(database(), keyring[0].id);
  if (!key) return;
  const isPending = keyring.length > 1 && !key.isRotated;
  gauge("plainbook_encryption_key_age_seconds", "Age of the current encryption key.", key.ageSeconds);
  gauge(
    "plainbook_encryption_rotation_pending",
    "1 while older keys are configured and may be needed.",
    Number(isPending),
  );
  gauge("plainbook_encryption_rotation_failed", "1 if the last rotation to this key failed.", Number(key.hasFailed));
}

// The disk of this process's log and of an embedded database.
async function addDisk(gauge: AddGauge): Promise<void> {
  const folder = process.env["LOG_FILE"] ? dirname(process.env["LOG_FILE"]) : ".";
  const disk = await statfs(folder).catch(() => undefined);
  gauge("plainbook_disk_bytes", "Size of this process's disk.", disk && disk.blocks * disk.bsize);
  gauge("plainbook_disk_free_bytes", "Free space on this process's disk.", disk && disk.bavail * disk.bsize);
}

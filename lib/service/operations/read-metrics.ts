import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Gauge, Registry } from "prom-client";
import { processMetrics } from "../../kit/process-metrics.ts";
import { serviceConfig } from "../config.ts";
import { metricsRegistry } from "../metrics.ts";
import { database, servicePool } from "../storage/database.ts";
import { readDatabaseCondition } from "../storage/database-condition.ts";
import { readOutboxBacklog } from "../storage/delivery-queue.ts";
import { findKeyAge } from "../storage/encryption-keys.ts";
import { countQuarantined } from "../storage/quarantine.ts";
import { findLastReconciliation } from "../storage/reconciliations.ts";
import { quarantinedKinds } from "../storage/schema.ts";

type AddGauge = (name: string, help: string, value: number | null | undefined) => void;

/** In Prometheus' text format: this process's counters and pool, and the state that all processes share. */
export async function readMetrics(): Promise<{ contentType: string; text: string }> {
  // A registry per reading, so that concurrent readings don't mix and no old value remains.
  const now = new Registry();
  // Unknown values are omitted, because unknown is not zero.
  const gauge: AddGauge = (name, help, value) => {
    if (typeof value === "number") new Gauge({ name, help, registers: [now] }).set(value);
  };

  const { totalCount, idleCount, waitingCount } = servicePool();
  gauge("plainbook_pool_connections", "Database connections of this process.", totalCount);
  gauge("plainbook_pool_idle_connections", "Idle database connections of this process.", idleCount);
  gauge("plainbook_pool_waiting", "Callers waiting for a database connection.", waitingCount);
  const { depth, oldestSeconds } = await readOutboxBacklog(database());
  gauge("plainbook_outbox_depth", "Due webhooks that are not delivered.", depth);
  gauge("plainbook_outbox_oldest_seconds", "Age of the oldest due webhook.", oldestSeconds);

  const setAside = new Gauge({
    name: "plainbook_set_aside",
    help: "Rows set aside because they could not be processed, by kind.",
    labelNames: ["kind"] as const,
    registers: [now],
  });
  const counts = new Map((await countQuarantined(database())).map(({ kind, count }) => [kind, count]));
  for (const kind of quarantinedKinds) setAside.set({ kind }, counts.get(kind) ?? 0);
  const { problems, secondsAgo } = (await findLastReconciliation(database())) ?? {};
  gauge("plainbook_ledger_problems", "Problems found by the last reconciliation.", problems);
  gauge("plainbook_ledger_reconciled_seconds", "Time since the last reconciliation.", secondsAgo);
  await addDatabase(gauge);
  await addKey(gauge);
  await addDisk(gauge);

  const text = await Registry.merge([metricsRegistry(), now]).metrics();
  return { contentType: now.contentType, text: text + processMetrics() };
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

import { Gauge, Registry } from "prom-client";
import { metricsRegistry } from "../metrics.ts";
import { database, servicePool } from "../storage/database.ts";
import { readOutboxBacklog } from "../storage/outbox-backlog.ts";
import { countQuarantined } from "../storage/quarantine.ts";
import { findLastReconciliation } from "../storage/reconciliations.ts";
import { quarantinedKinds } from "../storage/schema.ts";

/** All metrics in Prometheus' text format: what this process counted, its pool, and what all processes share. */
export async function readMetrics(): Promise<{ contentType: string; text: string }> {
  // A registry per reading, so that two readings at once do not mix and none goes on with an old value.
  const now = new Registry();
  const gauge = (name: string, help: string, value: number) => new Gauge({ name, help, registers: [now] }).set(value);

  const { totalCount, idleCount, waitingCount } = servicePool();
  gauge("plainbook_pool_connections", "Database connections of this process.", totalCount);
  gauge("plainbook_pool_idle_connections", "Those that nobody uses.", idleCount);
  gauge("plainbook_pool_waiting", "Callers that wait for a database connection.", waitingCount);
  const { depth, oldestSeconds } = await readOutboxBacklog(database());
  gauge("plainbook_outbox_depth", "Webhooks that are due and not delivered.", depth);
  gauge("plainbook_outbox_oldest_seconds", "How long the oldest of them has been due.", oldestSeconds);

  const setAside = new Gauge({
    name: "plainbook_set_aside",
    help: "Rows that a worker could not deal with and has set aside, by their kind.",
    labelNames: ["kind"] as const,
    registers: [now],
  });
  const counts = new Map((await countQuarantined(database())).map(({ kind, count }) => [kind, count]));
  for (const kind of quarantinedKinds) setAside.set({ kind }, counts.get(kind) ?? 0);
  // Before the first reconciliation there is no such value: unknown is not none.
  const reconciliation = await findLastReconciliation(database());
  if (reconciliation) {
    const { problems, secondsAgo } = reconciliation;
    gauge("plainbook_ledger_problems", "What the last reconciliation found wrong with the books.", problems);
    gauge("plainbook_ledger_reconciled_seconds", "How long ago it ended.", secondsAgo);
  }

  const text = await Registry.merge([metricsRegistry(), now]).metrics();
  return { contentType: now.contentType, text };
}

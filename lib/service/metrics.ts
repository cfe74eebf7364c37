import { Counter, Histogram, Registry } from "prom-client";
import { processWide } from "../kit/memoize.ts";
import type { QuarantinedKind } from "./storage/schema.ts";

// Labels are operations, statuses and outcomes: small closed sets. Never a client, a person or an address.
const meters = processWide("service.meters", () => {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: "plainbook_requests_total",
      help: "API requests answered, by operation and status.",
      labelNames: ["operation", "status"] as const,
      registers,
    }),
    requestSeconds: new Histogram({
      name: "plainbook_request_duration_seconds",
      help: "How long API requests took to answer.",
      labelNames: ["operation"] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    deliveries: new Counter({
      name: "plainbook_webhook_attempts_total",
      help: "Webhook attempts of this process, by what came of them: delivered, retried or failed for good.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    setAside: new Counter({
      name: "plainbook_set_aside_total",
      help: "Times that this process set a row aside because it could not be dealt with, by its kind.",
      labelNames: ["kind"] as const,
      registers,
    }),
  };
});

/** What one process has counted since its start, in the registry that `/metrics` writes out. */
export function metricsRegistry(): Registry {
  return meters().registry;
}

/** Counts one answered request. Paths that no operation answers share the label "none", so that nobody can make new ones. */
export function countRequest({
  operation = "none",
  status,
  durationMs,
}: {
  operation: string | undefined;
  status: number;
  durationMs: number;
}): void {
  meters().requests.inc({ operation, status });
  meters().requestSeconds.observe({ operation }, durationMs / 1000);
}

/** Counts one attempt of a webhook by the status that it left the delivery in. */
export function countWebhookAttempt(status: "delivered" | "pending" | "failed"): void {
  meters().deliveries.inc({ outcome: status === "pending" ? "retried" : status });
}

/** Counts one row that was set aside because it could not be dealt with. */
export function countSetAside(kind: QuarantinedKind): void {
  meters().setAside.inc({ kind });
}

import { Counter, Histogram, Registry } from "prom-client";
import { processWide } from "../kit/memoize.ts";
import type { QuarantinedKind } from "./storage/schema.ts";

// Labels must be small closed sets: never a client, a person or an address.
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
      help: "Duration of API requests.",
      labelNames: ["operation"] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    deliveries: new Counter({
      name: "plainbook_webhook_attempts_total",
      help: "Webhook attempts of this process, by outcome: delivered, retried or failed for good.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    setAside: new Counter({
      name: "plainbook_set_aside_total",
      help: "Rows that this process set aside because they could not be processed, by kind.",
      labelNames: ["kind"] as const,
      registers,
    }),
  };
});

export function metricsRegistry(): Registry {
  return meters().registry;
}

/** Counts one answered request. Unknown paths share the label "none", so that clients can't create labels. */
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

export function countWebhookAttempt(status: "delivered" | "pending" | "failed"): void {
  meters().deliveries.inc({ outcome: status === "pending" ? "retried" : status });
}

export function countSetAside(kind: QuarantinedKind): void {
  meters().setAside.inc({ kind });
}

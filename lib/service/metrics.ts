import { Counter, Histogram, Registry } from "prom-client";
import { timeOfId } from "../kit/ids.ts";
import { processWide } from "../kit/memoize.ts";
import type { SettlementResult } from "./domain/settlement-orders.ts";
import type { QuarantinedKind } from "./storage/schema.ts";

// Labels must be small closed sets: never a person or an address.
const meters = processWide("service.meters", () => {
  const built = makeMeters();
  // Starts at 0, because Prometheus can't see an increase that comes with a new series.
  built.bookings.inc({ outcome: "busy" }, 0);
  for (const result of ["contradiction", "unknown"]) built.settlementResults.inc({ result }, 0);
  return built;
});

function makeMeters() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    clientRefusals: new Counter({
      name: "plainbook_client_refusals_total",
      help: "Requests refused as rate_limited or invalid_grant, by client.",
      labelNames: ["client", "reason"] as const,
      registers,
    }),
    bookings: new Counter({
      name: "plainbook_bookings_total",
      help: "Book transfers requested from this process, by outcome.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    bookedCents: new Counter({
      name: "plainbook_bookings_cents_total",
      help: "Their amounts in cents, by outcome.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    deliveryDelay: new Histogram({
      name: "plainbook_webhook_delay_seconds",
      help: "Time from a webhook's creation to the answer of its first attempt.",
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    }),
    deliveries: new Counter({
      name: "plainbook_webhook_attempts_total",
      help: "Webhook attempts of this process, by outcome: delivered, retried or failed for good.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    providerCalls: new Counter({
      name: "plainbook_provider_calls_total",
      help: "This process's calls to a provider, by outcome: answered, refused, failed (retried later), or expired unsent.",
      labelNames: ["provider", "outcome"] as const,
      registers,
    }),
    settlementResults: new Counter({
      name: "plainbook_settlement_results_total",
      help: "Settlement provider results, by effect; an operator must review contradiction and unknown.",
      labelNames: ["result"] as const,
      registers,
    }),
    returnLosses: new Counter({
      name: "plainbook_return_losses_cents_total",
      help: "Cents that the destinations of returned transfers no longer had.",
      registers,
    }),
    rowsQuarantined: new Counter({
      name: "plainbook_set_aside_total",
      help: "Rows that this process set aside because they could not be processed, by kind.",
      labelNames: ["kind"] as const,
      registers,
    }),
  };
}

export function metricsRegistry(): Registry {
  return meters().registry;
}

const refusedClientsMax = 100;
const refusedClients = processWide("service.refused_clients", () => new Set<string>());

/** Clients after the first hundred share the label "other"; a request without a client gets "none". */
export function countClientRefusal(clientId = "none", reason: "rate_limited" | "invalid_grant"): void {
  const names = refusedClients();
  if (names.size < refusedClientsMax) names.add(clientId);
  meters().clientRefusals.inc({ client: names.has(clientId) ? clientId : "other", reason });
}

export function countBooking(outcome: string, amountCents: number): void {
  meters().bookings.inc({ outcome });
  meters().bookedCents.inc({ outcome }, amountCents);
}

/** `id`: the webhook's, which holds the time it was made. */
export function measureFirstAttempt(id: string): void {
  meters().deliveryDelay.observe(Math.max(0, Date.now() - timeOfId(id)) / 1000);
}

export function countWebhookAttempt(status: "delivered" | "pending" | "failed"): void {
  meters().deliveries.inc({ outcome: status === "pending" ? "retried" : status });
}

export function countProviderCall(
  provider: "texts" | "screening" | "settlement" | "photo_ids",
  outcome: "answered" | "refused" | "failed" | "expired",
): void {
  meters().providerCalls.inc({ provider, outcome });
}

export function countSettlementResult(result: SettlementResult): void {
  meters().settlementResults.inc({ result });
}

export function countReturnLoss(lossCents: number): void {
  meters().returnLosses.inc(lossCents);
}

export function countRowsQuarantined(kind: QuarantinedKind): void {
  meters().rowsQuarantined.inc({ kind });
}

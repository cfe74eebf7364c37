import type { Tone } from "#components/ui/tone.ts";
import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";

/** Left to right. */
export const lanes = ["Browser", "Client app", "Service", "Webhooks and customers"] as const;

export type Step = { name: string; detail: string; from: number; to: number; outcome: string; tone: Tone };

const [browser, app, service, receivers] = [0, 1, 2, 3] as const;

export function stepOf(event: SandboxEvent): Step {
  switch (event.kind) {
    case "call":
      return {
        name: wordsOf(event.operation),
        detail: `${event.method} ${event.path}`,
        from: app,
        to: service,
        outcome: [event.status ?? "no answer", ...(event.reason ? [event.reason] : [])].join(" "),
        tone: toneOfStatus(event.status),
      };
    case "control":
      return {
        name: wordsOf(event.operation),
        detail: `${event.method} ${event.path}`,
        from: app,
        to: service,
        outcome: `sandbox ${event.status ?? "no answer"}`,
        tone: event.status !== null && event.status < 300 ? "info" : toneOfStatus(event.status),
      };
    case "visit": {
      const { error, cause } = event.facts;
      const isReturnLeg = ["code_sent", "sent_back", "authorized", "cancelled"].includes(event.step);
      return {
        name: `Visit: ${event.step.replaceAll("_", " ")}`,
        detail: "/login/oauth/authorize",
        from: isReturnLeg ? service : browser,
        to: isReturnLeg ? browser : service,
        outcome: error ?? cause ?? "done",
        tone: error || cause ? "warning" : "success",
      };
    }
    case "customer":
      return {
        name: "Get customer",
        detail: "GET /v1/customers/{customer_id}",
        from: service,
        to: receivers,
        outcome: [event.status ?? "no answer", ...event.facts.problems.slice(0, 1)].join(" "),
        tone: event.facts.problems.length > 0 ? "danger" : "success",
      };
    case "delivery": {
      const { fault, error, attempt } = event.facts;
      return {
        name: event.webhook_type,
        detail: `webhook, attempt ${attempt}${fault ? `, fault: ${fault.replaceAll("_", " ")}` : ""}`,
        from: service,
        to: receivers,
        outcome: String(event.status ?? error ?? "no answer"),
        tone: fault && event.status === null ? "warning" : toneOfStatus(event.status),
      };
    }
  }
}

/** For screen readers. */
export function sentenceOf(event: SandboxEvent): string {
  const { name, detail, from, to, outcome } = stepOf(event);
  return `${lanes[from]} to ${lanes[to]}: ${name}, ${detail}, ${outcome}`;
}

export function searchTextOf(event: SandboxEvent): string {
  const { name, detail, outcome } = stepOf(event);
  const ids = event.kind === "call" ? [event.request_id, event.facts.idempotency_key ?? ""] : [];
  return [name, detail, outcome, ...ids, ...event.joins].join(" ").toLowerCase();
}

/** Null means no answer. */
export function toneOfStatus(status: number | null): Tone {
  if (status === null || status >= 500) return "danger";
  return status < 300 ? "success" : "warning";
}

// createUserIntent becomes "Create user intent".
function wordsOf(operation: string): string {
  const words = operation.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

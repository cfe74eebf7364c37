import { readWebhookEvent } from "#client";
import { traceIdOf } from "../../kit/trace.ts";
import type { EntryOutcome } from "./entry.ts";
import { keepEntry } from "./keep-entry.ts";
import { redactMessage } from "./redact.ts";

/** A delivery as it came, and what Harbor made of it. `why`: why it was turned away. */
export type JudgedWebhook = {
  body: string;
  headers: Headers;
  outcome: Extract<EntryOutcome, "accepted" | "duplicate" | "turned_away">;
  status: number;
  why: string | undefined;
  startedAt: Date;
};

/** Records a delivery for the people whom it names. One that is not genuine may name anybody: it is shown, and nothing else. */
export function recordWebhook({ body, headers, outcome, status, why, startedAt }: JudgedWebhook): void {
  const { user_id, resource_id } = readWebhookEvent(body) ?? {};
  keepEntry({
    traceId: traceIdOf(headers.get("traceparent")),
    at: startedAt,
    details: {
      kind: "webhook",
      method: "POST",
      path: "/webhooks",
      outcome,
      status,
      durationMs: Date.now() - startedAt.getTime(),
      why,
      problems: [],
      request: redactMessage(headers, body),
    },
    reader: { ids: [user_id, resource_id].filter((id) => id !== undefined), isPayeeToo: true },
  });
}

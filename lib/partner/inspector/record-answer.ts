import { traceIdOf } from "../../kit/trace.ts";
import { keepEntry } from "./keep-entry.ts";
import { redactMessage } from "./redact.ts";

/** A request of the service for a customer, and what Harbor answered. */
export type AnsweredRequest = {
  customerId: string;
  headers: Headers;
  status: number;
  body: object;
  why: string | undefined;
  startedAt: Date;
};

/** Records what Harbor answered the service about a customer, for that customer. */
export function recordAnswer({ customerId, headers, status, body, why, startedAt }: AnsweredRequest): void {
  keepEntry({
    traceId: traceIdOf(headers.get("traceparent")),
    at: startedAt,
    details: {
      kind: "answer",
      method: "GET",
      path: `/v1/customers/${customerId}`,
      outcome: "answered",
      status,
      durationMs: Date.now() - startedAt.getTime(),
      why,
      problems: [],
      request: redactMessage(headers, undefined),
      response: redactMessage({ "content-type": "application/json" }, JSON.stringify(body)),
    },
    reader: { ids: [customerId] },
  });
}

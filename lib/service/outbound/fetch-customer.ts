import { request } from "undici";
import { type CustomerRecord, customerRecord } from "../../contract/identity-verification.ts";
import { limits } from "../../contract/limits.ts";
import { ownFaultCodes } from "../../kit/database-errors.ts";
import { callMeter } from "../../kit/request-meter.ts";
import { inSpan, outgoingTraceparent } from "../../kit/spans.ts";
import type { TraceId } from "../../kit/trace.ts";
import { outboundDispatcher } from "./dispatcher.ts";

export type CustomerQuestion = {
  customersUrl: string;
  customerId: string;
  /** null: send no credentials, as an unauthorized caller would. */
  customerEndpointSecret: string | null;
  traceId: TraceId;
};

/**
 * `not_asked`: this process couldn't dial, which says nothing about the endpoint. `cause` is for the log; the client
 * may see `wrongFields`. Only a sandbox records `status` and `body`.
 */
export type CustomerAnswer = (
  | { kind: "customer"; customer: CustomerRecord }
  | { kind: "failed"; cause: string }
  | { kind: "not_asked"; cause: string }
) & {
  status: number | null;
  body: unknown;
  wrongFields: string[];
};

/**
 * Gets a customer from the client's endpoint: one GET, limited in time and size, no redirects, allowed addresses only.
 * Decision D11
 */
export function fetchCustomer(question: CustomerQuestion): Promise<CustomerAnswer> {
  const { traceId } = question;
  const [method, route] = ["GET", "/v1/customers/{customer_id}"] as const;
  return inSpan({ name: `${method} ${route}`, kind: "client", traceId }, async (span) => {
    const startedAt = performance.now();
    const answer = await requestCustomer(question);
    callMeter({ to: "customer_endpoint", method, route }).observe(answer.status ?? 0, performance.now() - startedAt);
    if (answer.status !== null) span?.note({ "http.response.status_code": answer.status });
    if (answer.kind !== "customer") span?.fail(answer.cause);
    return answer;
  });
}

async function requestCustomer(question: CustomerQuestion): Promise<CustomerAnswer> {
  const { customersUrl, customerId, customerEndpointSecret, traceId } = question;
  let status: number | null = null;
  const failed = (cause: string, body?: unknown, wrongFields: string[] = []) => {
    return { kind: "failed" as const, cause, status, body, wrongFields };
  };
  try {
    const { statusCode, body } = await request(customerUrl(customersUrl, customerId), {
      dispatcher: outboundDispatcher(),
      headers: {
        accept: "application/json",
        ...(customerEndpointSecret !== null && { authorization: `Bearer ${customerEndpointSecret}` }),
        traceparent: outgoingTraceparent(traceId),
      },
      signal: AbortSignal.timeout(limits.customerEndpointTimeoutMs),
    });
    status = statusCode;
    if (statusCode !== 200) {
      // Destroying an unread body emits an error event, which needs a listener.
      body.on("error", () => {}).destroy();
      return failed(`status_${statusCode}`);
    }
    const text = await readText(body);
    if (text === undefined) return failed("answer_too_large");
    const answered: unknown = JSON.parse(text);
    const customer = customerRecord.safeParse(answered);
    if (customer.success) return { kind: "customer", customer: customer.data, status, body: answered, wrongFields: [] };
    return failed("not_a_customer_record", answered, [
      ...new Set(customer.error.issues.flatMap(({ path: [field] }) => (typeof field === "string" ? [field] : []))),
    ]);
  } catch (error) {
    const answer = failed(causeOf(error));
    return ownFaultCodes.test(answer.cause) ? { ...answer, kind: "not_asked" } : answer;
  }
}

export function customerUrl(customersUrl: string, customerId: string): string {
  return `${customersUrl.replace(/\/$/, "")}/v1/customers/${encodeURIComponent(customerId)}`;
}

async function readText(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limits.customerEndpointBytesMax) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

// A parse error quotes its input, which must not be logged.
function causeOf(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof TypeError) return "not_json";
  if (!(error instanceof Error)) return "unknown";
  // A timeout's code is only a number.
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

import { request } from "undici";
import { type CustomerRecord, customerRecord } from "../../contract/customer.ts";
import { limits } from "../../contract/limits.ts";
import { type TraceId, traceparentOf } from "../../kit/trace.ts";
import { outboundDispatcher } from "./dispatcher.ts";

/** Whom to ask about which customer. */
export type CustomerQuestion = {
  customersUrl: string;
  customerId: string;
  customerEndpointSecret: string;
  traceId: TraceId;
};

/** The customer, or why there is none. The cause is for the log; a client is never shown what came back. */
export type CustomerAnswer = { kind: "customer"; customer: CustomerRecord } | { kind: "failed"; cause: string };

/** Asks the client's customer endpoint: one GET within the contract's limits of time and size, no redirects, checked addresses. Decision D11 */
export async function fetchCustomer(question: CustomerQuestion): Promise<CustomerAnswer> {
  const { customersUrl, customerId, customerEndpointSecret, traceId } = question;
  const url = `${customersUrl.replace(/\/$/, "")}/v1/customers/${encodeURIComponent(customerId)}`;
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: outboundDispatcher(),
      headers: {
        accept: "application/json",
        authorization: `Bearer ${customerEndpointSecret}`,
        traceparent: traceparentOf(traceId),
      },
      signal: AbortSignal.timeout(limits.customerEndpointTimeoutMs),
    });
    if (statusCode !== 200) {
      // Closing a body that nobody reads is an error event of its own, which must find a listener.
      body.on("error", () => {}).destroy();
      return { kind: "failed", cause: `status_${statusCode}` };
    }
    const text = await readText(body);
    if (text === undefined) return { kind: "failed", cause: "answer_too_large" };
    const customer = customerRecord.safeParse(JSON.parse(text));
    if (customer.success) return { kind: "customer", customer: customer.data };
    return { kind: "failed", cause: "not_a_customer_record" };
  } catch (error) {
    return { kind: "failed", cause: causeOf(error) };
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > limits.customerEndpointBytesMax) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

// A parse error quotes what it could not parse, and that is not ours to log.
function causeOf(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof TypeError) return "not_json";
  if (!(error instanceof Error)) return "unknown";
  return "code" in error ? String(error.code) : error.name;
}

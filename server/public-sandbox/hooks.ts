import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { describeError } from "../../lib/kit/describe-error.ts";
import { log } from "../../lib/kit/log.ts";
import { answerCustomerRequest } from "../../lib/partner/customers/answer-customer-request.ts";
import { readWebhookBody, receiveWebhook, statusOfVerdict } from "../../lib/partner/webhooks/receive-webhook.ts";
import { answerText } from "../responses.ts";
import type { Visitor, Visitors } from "./visitors.ts";

const hookPath = /^\/visitors\/([0-9a-f]{24})\/(webhooks|v1\/customers\/([\w-]+))$/;

export function hooksPathOf(id: string): string {
  return `/visitors/${id}`;
}

/** Answers the service's calls for each visitor, whose id is in the path. On loopback only. */
export function answerHooks(visitors: Visitors, otherwise: RequestListener): RequestListener {
  return (request, response) => {
    const [, id, hook, customerId] = hookPath.exec(request.url ?? "") ?? [];
    if (!id) return otherwise(request, response);
    const visitor = visitors.findById(id);
    if (!visitor) return answerText(response, 404, "There is no such sandbox.");
    visitors.wake(visitor, true);
    const isWebhook = hook === "webhooks" && request.method === "POST";
    const answered = isWebhook ? takeWebhook(visitor, request) : answerCustomer(visitor, request, customerId ?? "");
    answered
      .then((answer) => send(answer, response))
      .catch((error: unknown) => {
        log().error({ error: describeError(error) }, "a visitor's hook failed");
        if (!response.headersSent) answerText(response, 500, "Something went wrong.");
      });
  };
}

async function takeWebhook({ partner }: Visitor, request: IncomingMessage): Promise<Response> {
  const body = Readable.toWeb(request) as ReadableStream<Uint8Array>;
  const forwarded = new Request("http://127.0.0.1/webhooks", { method: "POST", body, duplex: "half" } as RequestInit);
  const text = await readWebhookBody(forwarded);
  const verdict = text === undefined ? "too_large" : await receiveWebhook(partner, text, headersOf(request));
  return new Response(null, { status: statusOfVerdict[verdict] });
}

function answerCustomer({ partner }: Visitor, request: IncomingMessage, customerId: string): Promise<Response> {
  const headers = headersOf(request);
  return answerCustomerRequest(partner, { authorization: headers.get("authorization"), headers }, customerId);
}

function headersOf({ headers }: IncomingMessage): Headers {
  return new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]));
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

import type { Dispatcher } from "undici";
import { limits } from "../../contract/limits.ts";
import { signatureHeaders } from "../../contract/webhooks.ts";
import { ownFaultCodes } from "../../kit/database-errors.ts";
import { outgoingTraceparent } from "../../kit/spans.ts";
import type { TraceId } from "../../kit/trace.ts";
import { outboundDispatcher } from "./dispatcher.ts";

/** `body` is sent byte for byte, signed with each secret; `sentAt` is real time (Decision D15). */
export type OutgoingWebhook = {
  id: string;
  url: string;
  body: string;
  secrets: string[];
  traceId: TraceId;
  sentAt: Date;
  /** How much of the response body to return; none by default. */
  answerBytesMax?: number;
};

/** `not_sent`: this process couldn't dial, which says nothing about the receiver. */
export type WebhookReply =
  | { kind: "answered"; status: number; retryAfter: string | undefined; answer?: string | undefined }
  | { kind: "unanswered" | "not_sent"; error: string };

/** `deliverWebhook`, or a provider's wrapper of it. */
export type SendWebhook = (webhook: OutgoingWebhook, stopping: AbortSignal) => Promise<WebhookReply>;

// Response bodies are drained so that the connection can be reused.
const drainedBytesMax = 64 * 1024;

/**
 * Sends one webhook to a checked address, within `limits.webhookTimeoutMs` and without redirects. Calls the dispatcher
 * directly, because a stream and a signal per response would double the cost.
 */
export function deliverWebhook(webhook: OutgoingWebhook, stopping: AbortSignal): Promise<WebhookReply> {
  const { answerBytesMax = 0 } = webhook;
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answered: Extract<WebhookReply, { kind: "answered" }> | undefined;
    let isOver = false;
    const chunks: Buffer[] = [];
    let bytes = 0;

    // A truncated body is not a failure: the status has arrived.
    function finish(error: string): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(deadline);
      stopping.removeEventListener("abort", stop);
      const answer = answerBytesMax > 0 ? { answer: startOf(chunks, answerBytesMax) } : undefined;
      const kind = ownFaultCodes.test(error) ? "not_sent" : "unanswered";
      resolve(answered ? { ...answered, ...answer } : { kind, error });
    }

    function abort(error: string): void {
      finish(error);
      controller?.abort(new Error(error));
    }

    const stop = () => abort("stopped");
    const deadline = setTimeout(() => abort("timeout"), limits.webhookTimeoutMs);
    stopping.addEventListener("abort", stop, { once: true });
    if (stopping.aborted) stop();

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        if (isOver) controller.abort(new Error("The attempt ended before it got a connection."));
      },
      onResponseStart: (_controller, status, headers) => {
        if (status < 200) return;
        const retryAfter = headers["retry-after"];
        answered = { kind: "answered", status, retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter };
      },
      onResponseData: (_controller, chunk) => {
        if (bytes < answerBytesMax) chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > drainedBytesMax) abort("too_long");
      },
      onResponseEnd: () => finish("connection_failed"),
      onResponseError: (_controller, error) => finish(errorCodeOf(error)),
    };
    try {
      if (!isOver) dispatch(webhook, handler);
    } catch (error) {
      // An invalid URL or header.
      finish(errorCodeOf(error));
    }
  });
}

function dispatch({ id, url, body, secrets, traceId, sentAt }: OutgoingWebhook, handler: Dispatcher.DispatchHandler) {
  const { origin, pathname, search } = new URL(url);
  const headers = {
    "content-type": "application/json",
    "user-agent": "Plainbook-Webhooks",
    traceparent: outgoingTraceparent(traceId),
    ...signatureHeaders({ webhookId: id, sentAtSeconds: Math.floor(sentAt.getTime() / 1000), body }, secrets),
  };
  outboundDispatcher().dispatch({ origin, path: pathname + search, method: "POST", headers, body }, handler);
}

// Drops a character that was cut in two.
function startOf(chunks: Buffer[], bytesMax: number): string {
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytesMax), { stream: true });
}

function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error ? String(error.code).toLowerCase() : "connection_failed";
}

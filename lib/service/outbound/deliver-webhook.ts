import { request } from "undici";
import { limits } from "../../contract/limits.ts";
import { signatureHeaders } from "../../contract/webhook-signature.ts";
import { outgoingTraceparent } from "../../kit/spans.ts";
import type { TraceId } from "../../kit/trace.ts";
import { outboundDispatcher } from "./dispatcher.ts";

/** One webhook to send: `body` goes out to the byte, signed with each of the secrets. `sentAt` is real time (Decision D15). */
export type OutgoingWebhook = {
  id: string;
  url: string;
  body: string;
  secrets: string[];
  traceId: TraceId;
  sentAt: Date;
  /** How much of the receiver's answer is wanted; nothing unless it says so. */
  answerBytesMax?: number;
};

/** What the receiver did: an HTTP status, or a word for what went wrong before there was one. */
export type WebhookReply =
  | { kind: "answered"; status: number; retryAfter: string | undefined; answer?: string | undefined }
  | { kind: "unanswered"; error: string };

/** A way of sending one webhook: `deliverWebhook`, or one that a provider puts around it. */
export type SendWebhook = (webhook: OutgoingWebhook, stopping: AbortSignal) => Promise<WebhookReply>;

// What a receiver says is drained, so that the connection can be used again, and not read unless somebody wants it.
const drainedBytesMax = 64 * 1024;

/** Sends one webhook to a checked address, within `limits.webhookTimeoutMs` and without following redirects. */
export async function deliverWebhook(
  { id, url, body, secrets, traceId, sentAt, answerBytesMax = 0 }: OutgoingWebhook,
  stopping: AbortSignal,
): Promise<WebhookReply> {
  const signal = AbortSignal.any([AbortSignal.timeout(limits.webhookTimeoutMs), stopping]);
  try {
    const {
      statusCode,
      headers,
      body: reply,
    } = await request(url, {
      method: "POST",
      dispatcher: outboundDispatcher(),
      headers: {
        "content-type": "application/json",
        "user-agent": "Plainbook-Webhooks",
        traceparent: outgoingTraceparent(traceId),
        ...signatureHeaders({ webhookId: id, sentAtSeconds: Math.floor(sentAt.getTime() / 1000), body }, secrets),
      },
      body,
      signal,
    });
    const answer = answerBytesMax > 0 ? await readStart(reply, answerBytesMax) : undefined;
    // A body that breaks off, or is cut off here, is no failure: the status has been said.
    await reply
      .on("error", () => {})
      .dump({ limit: drainedBytesMax, signal })
      .catch(() => undefined);
    const retryAfter = headers["retry-after"];
    return {
      kind: "answered",
      status: statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      ...(answer !== undefined && { answer }),
    };
  } catch (error) {
    return { kind: "unanswered", error: wordFor(error) };
  }
}

// The whole answer is drained here, within the same bounds. A character that was cut in two is left out.
async function readStart(reply: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of reply) {
      if (bytes < bytesMax) chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > drainedBytesMax) break;
    }
  } catch {
    // Broken off: what came until then is what was said.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytesMax), { stream: true });
}

function wordFor(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.name === "TimeoutError") return "timeout";
  return "code" in error ? String(error.code).toLowerCase() : "connection_failed";
}

import { createBatcher, doInParts, type PartOutcome } from "../../../kit/batcher.ts";
import { isDataError, reasonOf } from "../../../kit/database-errors.ts";
import { log } from "../../../kit/log.ts";
import { processWide } from "../../../kit/memoize.ts";
import { inSpan, type OpenSpan } from "../../../kit/spans.ts";
import { retryConflicts, runSingleStatement } from "../../../kit/transaction.ts";
import { nextAttemptDelayMs, nextProbeDelayMs, retryAfterMsOf } from "../../domain/delivery-schedule.ts";
import { countWebhookAttempt } from "../../metrics.ts";
import type { SendWebhook, WebhookReply } from "../../outbound/deliver-webhook.ts";
import { database, servicePool } from "../../storage/database.ts";
import { type AttemptResult, lockRecordedAttempts, recordDeliveryAttempts } from "../../storage/deliveries.ts";
import { type ClaimedDelivery, releaseDelivery } from "../../storage/delivery-queue.ts";
import { releaseFromQuarantine } from "../../storage/quarantine.ts";
import { setAside } from "../set-aside.ts";

/** A claimed delivery with its endpoint's decrypted secrets, the current one first. */
export type SendableDelivery = ClaimedDelivery & { secrets: string[] };

/**
 * Attempts one delivery with `send` and records the result, which it returns. Returns undefined when nothing was recorded: an
 * attempt aborted by `stopping` is released, so that another process makes it right away.
 */
export function attemptDelivery(
  delivery: SendableDelivery,
  send: SendWebhook,
  stopping: AbortSignal,
): Promise<AttemptResult | undefined> {
  const { traceId, clientId, id, attempts } = delivery;
  const facts = { "gangway.client_id": clientId, "gangway.webhook_id": id, "gangway.attempt": attempts + 1 };
  return inSpan({ name: "webhook delivery", kind: "client", traceId, facts }, (span) =>
    attempt(delivery, send, { stopping, span }),
  );
}

async function attempt(
  delivery: SendableDelivery,
  send: SendWebhook,
  { stopping, span }: { stopping: AbortSignal; span: OpenSpan | undefined },
): Promise<AttemptResult | undefined> {
  const sentAt = new Date();
  const reply = await send({ ...delivery, sentAt }, stopping);
  if (reply.kind === "not_sent") {
    // Quarantine the endpoint so the rest of its backlog isn't tried in vain. The pause is short: the next claim ends it.
    await setAside("webhook_endpoint", [{ id: delivery.clientId, reason: `could not be dialed: ${reply.error}` }]);
    await releaseDelivery(database(), delivery);
    return undefined;
  }
  if (stopping.aborted && reply.kind === "unanswered") {
    await releaseDelivery(database(), delivery);
    return undefined;
  }
  const durationMs = Date.now() - sentAt.getTime();
  const judged = judge(delivery, reply);
  const { traceId, clientId, id: webhookId, leasedUntil } = delivery;
  const result = { ...judged, deliveryId: webhookId, clientId, leasedUntil, sentAt, durationMs };
  const outcome = await record()(result);
  if (outcome.kind === "late") {
    log().warn({ traceId, clientId, webhookId, durationMs, ...judged }, "a webhook attempt outlived its lease");
    return undefined;
  }
  if (outcome.kind === "refused") {
    await setAside("delivery", [{ id: delivery.id, reason: outcome.reason }]);
    return undefined;
  }
  if (delivery.wasSetAside) await releaseFromQuarantine(database(), "delivery", [delivery.id]);
  countWebhookAttempt(result.status);
  span?.note({ "http.response.status_code": judged.responseStatus ?? undefined, "gangway.outcome": result.status });
  if (result.status !== "delivered") span?.fail(judged.error ?? String(judged.responseStatus));
  log().info({ traceId, clientId, webhookId, ...judged }, "webhook attempted");
  return result;
}

function judge(
  { attempts, failedProbes }: SendableDelivery,
  reply: WebhookReply,
): Pick<AttemptResult, "attempt" | "responseStatus" | "error" | "status" | "delayMs" | "nextProbeMs" | "isGone"> {
  const attempt = attempts + 1;
  const responseStatus = reply.kind === "answered" ? reply.status : null;
  const error = reply.kind === "unanswered" ? reply.error : null;
  const common = { attempt, responseStatus, error, isGone: responseStatus === 410 };
  if (responseStatus !== null && responseStatus >= 200 && responseStatus < 300) {
    return { ...common, status: "delivered", delayMs: null, nextProbeMs: undefined };
  }
  const retryAfterMs = reply.kind === "answered" ? retryAfterMsOf(reply.retryAfter, Date.now()) : undefined;
  const pause = { random: Math.random(), retryAfterMs };
  const delayMs = nextAttemptDelayMs(attempt, pause) ?? null;
  const nextProbeMs = failedProbes === null ? undefined : nextProbeDelayMs(failedProbes + 1, pause);
  return { ...common, status: delayMs === null ? "failed" : "pending", delayMs, nextProbeMs };
}

/**
 * The outcome of recording an attempt. `late`: not recorded, because its lease ended without an answer or another worker has
 * claimed the delivery. `refused`: not recorded, because the database rejects this row.
 */
type RecordOutcome = { kind: "recorded" | "late" } | { kind: "refused"; reason: string };

/**
 * Records a batch in one statement: the attempts, what is next for their deliveries, and the health of the endpoints. Returns
 * one outcome per attempt. A row that the database rejects is bisected out.
 */
export async function recordAttempts(results: AttemptResult[]): Promise<RecordOutcome[]> {
  const { done, undone } = await doInParts(results, recordTogether);
  const recorded = new Set(done.flat());
  const reasons = new Map(undone.map(({ item, error }) => [item, reasonOf(error)]));
  return results.map((result) => {
    const reason = reasons.get(result);
    if (reason !== undefined) return { kind: "refused", reason };
    return { kind: recorded.has(result) ? "recorded" : "late" };
  });
}

async function recordTogether(results: AttemptResult[]): Promise<PartOutcome<AttemptResult[]>> {
  const firstProbeMs = nextProbeDelayMs(0, { random: 0 });
  try {
    const value = await retryConflicts(() =>
      runSingleStatement(servicePool(), {
        run: (connection) => recordDeliveryAttempts(connection, results, { firstProbeMs }),
        readBack: (connection) => lockRecordedAttempts(connection, results),
      }),
    );
    return { kind: "done", value };
  } catch (error) {
    if (error instanceof Error && isDataError(error)) return { kind: "undone", error };
    throw error;
  }
}

// One batch in flight: results that arrive meanwhile form the next one.
const record = processWide("service.delivery_attempts", () =>
  createBatcher({ name: "set of webhook attempts", run: recordAttempts, inFlightMax: 1 }),
);

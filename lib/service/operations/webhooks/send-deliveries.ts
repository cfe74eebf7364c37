import { bisect, createBatcher } from "../../../kit/batcher.ts";
import { reasonOf } from "../../../kit/database-errors.ts";
import { describeError } from "../../../kit/describe-error.ts";
import { log } from "../../../kit/log.ts";
import { memoize } from "../../../kit/memoize.ts";
import { callMeter } from "../../../kit/request-meter.ts";
import { decryptText } from "../../../kit/secrets.ts";
import { inSpan, type OpenSpan } from "../../../kit/spans.ts";
import { retryConflicts, runSingleStatement } from "../../../kit/transaction.ts";
import { perCell } from "../../cells.ts";
import { serviceConfig } from "../../config.ts";
import {
  createEndpointConcurrency,
  nextAttemptDelayMs,
  nextProbeDelayMs,
  retryAfterMsOf,
} from "../../domain/delivery-schedule.ts";
import { countWebhookAttempt, measureFirstAttempt } from "../../metrics.ts";
import { deliverWebhook, type SendWebhook, type WebhookReply } from "../../outbound/deliver-webhook.ts";
import { providers } from "../../providers.ts";
import { database, servicePool } from "../../storage/database.ts";
import { type AttemptResult, lockRecordedAttempts, recordDeliveryAttempts } from "../../storage/deliveries.ts";
import {
  type ClaimedDelivery,
  claimDeliveries,
  claimProbes,
  makeDeliveriesDue,
  parkDeliveries,
  releaseDelivery,
  webhookSecretContext,
} from "../../storage/delivery-queue.ts";
import { type Quarantined, quarantineRows, releaseFromQuarantine } from "../../storage/quarantine.ts";

/** With the decrypted secrets, the current one first. */
export type SendableDelivery = ClaimedDelivery & { secrets: string[] };

/** The webhook sender of one process. Attempts run concurrently. */
export type DeliverySender = {
  /**
   * Starts an attempt of everything due, until `stopped`. Returns the milliseconds until more is due, or "full" when at
   * capacity.
   */
  sendAllDue: (stopped?: AbortSignal) => Promise<number | "full" | undefined>;
  /** Waits `graceMs` for attempts in flight, then aborts them. */
  drain: (how: { graceMs: number }) => Promise<void>;
};

// Connections per endpoint, each for up to 10 s, so that a slow endpoint delays only itself.
const perClientMax = 64;
// A fast endpoint gets larger batches, which save claims and commits, while half of the capacity is free.
const perQuickClientMax = 256;
const quickClientsMax = 1000;
const limitedClientsMax = 1000;
const inFlightMax = 1024;
// If a delivery is overdue, another process is holding it for a moment.
const shortestWaitMs = 20;

const batchSize = 512;
const endpointsMax = 256;
// Longer than an attempt (10 s) and recording its outcome can take.
const leaseSeconds = 30;
// As many rows as one statement can update quickly.
const movedMax = 1000;
const movedPerClientMax = 128;

/** `onCapacity` is called when a full sender can take more. */
export function createDeliverySender({
  onCapacity,
  quickMs = 500,
}: {
  onCapacity: () => void;
  quickMs?: number | undefined;
}): DeliverySender {
  const stopping = new AbortController();
  const attempts = new Set<Promise<void>>();
  const inFlight = new Map<string, { count: number; quickInARow: number }>();
  const quickClientIds = new Set<string>();
  const concurrency = createEndpointConcurrency({ most: perClientMax, endpointsMax: limitedClientsMax });

  const isHalfFree = () => attempts.size <= inFlightMax / 2;
  const limitOf = (clientId: string) =>
    concurrency.limitOf(clientId) ?? (quickClientIds.has(clientId) && isHalfFree() ? perQuickClientMax : perClientMax);
  const countOf = (clientId: string) => inFlight.get(clientId)?.count ?? 0;
  const isBusy = (clientId: string) => countOf(clientId) >= limitOf(clientId);

  async function sendAllDue(stopped?: AbortSignal): Promise<number | "full" | undefined> {
    const hasRoom = () => attempts.size < inFlightMax && !stopped?.aborted;
    while (hasRoom()) {
      const hasMore = await sendRound(hasRoom);
      const { due, nextMs } = await makeDeliveriesDue(servicePool(), {
        fallenDueMax: movedMax,
        endpointsMax,
        perClientMax: movedPerClientMax,
      });
      const mayProbe = nextMs === 0 && !stopped?.aborted;
      if (mayProbe) await start(await claimProbes(database(), { limit: endpointsMax, leaseSeconds }));
      if (hasMore || due > 0) continue;
      return nextMs === undefined ? undefined : Math.max(nextMs, shortestWaitMs);
    }
    return "full";
  }

  // One pass over all clients with due deliveries, so that one client's large backlog doesn't starve the others. Returns
  // whether to make another pass.
  async function sendRound(hasRoom: () => boolean): Promise<boolean> {
    let after: string | undefined = "";
    let hasMore = false;
    while (after !== undefined && hasRoom()) {
      const { deliveries, unusableClientIds, next } = await claimDeliveries(database(), {
        after,
        batchSize,
        leaseSeconds,
        perClientMax,
        quickClientIds: isHalfFree() ? [...quickClientIds] : [],
        perQuickClientMax,
        limitedClients: new Map(concurrency.clientIds().map((id) => [id, Math.max(0, limitOf(id) - countOf(id))])),
        busyClientIds: [...inFlight.keys()].filter(isBusy),
      });
      for (const clientId of unusableClientIds) concurrency.startOver(clientId);
      const parked = await park(unusableClientIds);
      const started = await start(deliveries);
      const byClient = Map.groupBy(started, ({ clientId }) => clientId);
      hasMore ||=
        parked > 0 ||
        [...byClient].some(([id, clientDeliveries]) => clientDeliveries.length >= perClientMax && !isBusy(id));
      after = next;
    }
    return hasMore;
  }

  async function start(claimed: ClaimedDelivery[]): Promise<SendableDelivery[]> {
    const deliveries = await withSecrets(claimed);
    await providers().startDeliveries(deliveries, deliverWebhook, startAttempt);
    return deliveries;
  }

  function startAttempt(delivery: SendableDelivery, send: SendWebhook): void {
    const { clientId, id: webhookId, traceId } = delivery;
    const speed = inFlight.get(clientId) ?? { count: 0, quickInARow: 0 };
    speed.count++;
    inFlight.set(clientId, speed);
    const sentAtMs = performance.now();
    // If a probe succeeds, all parked deliveries are freed, including those that other processes parked.
    if (delivery.failedProbes !== null) concurrency.startOver(clientId);
    function end(made?: AttemptResult): void {
      // Before trackSpeed, which may raise the limit.
      const wasFull = attempts.size >= inFlightMax || isBusy(clientId);
      if (made) trackSpeed(clientId, speed, { ...made, sentAtMs });
      attempts.delete(attempt);
      speed.count--;
      if (speed.count === 0) inFlight.delete(clientId);
      // A successful probe frees the deliveries parked behind it.
      if (wasFull || delivery.failedProbes !== null) onCapacity();
    }
    const attempt = attemptDelivery(delivery, send, stopping.signal).then(end, (error: unknown) => {
      log().error({ webhookId, traceId, error: describeError(error) }, "a webhook attempt was not recorded");
      end();
    });
    attempts.add(attempt);
  }

  function trackSpeed(
    clientId: string,
    speed: { quickInARow: number },
    { status, durationMs, responseStatus, sentAtMs }: AttemptResult & { sentAtMs: number },
  ): void {
    if (status === "delivered") concurrency.speedUp(clientId, durationMs);
    else if (responseStatus === null) concurrency.slowDown(clientId, sentAtMs);
    const isQuick = status === "delivered" && durationMs <= quickMs;
    speed.quickInARow = isQuick ? speed.quickInARow + 1 : 0;
    if (!isQuick) quickClientIds.delete(clientId);
    else if (speed.quickInARow >= perClientMax && quickClientIds.size < quickClientsMax) quickClientIds.add(clientId);
  }

  async function drain({ graceMs }: { graceMs: number }): Promise<void> {
    const grace = setTimeout(() => stopping.abort(), graceMs);
    await Promise.all(attempts);
    clearTimeout(grace);
  }

  return { sendAllDue, drain };
}

async function park(clientIds: string[]): Promise<number> {
  if (clientIds.length === 0) return 0;
  return parkDeliveries(database(), { clientIds, perClientMax: movedPerClientMax });
}

/** Adds the decrypted secrets. An endpoint whose secret can't be decrypted is quarantined. */
export async function withSecrets(claimed: ClaimedDelivery[]): Promise<SendableDelivery[]> {
  const { secrets, unreadable } = await decryptSecrets(claimed);
  if (unreadable.length > 0) await quarantineRows("webhook_endpoint", unreadable);
  return claimed.flatMap((delivery) => {
    const clientSecrets = secrets.get(delivery.clientId);
    return clientSecrets ? [{ ...delivery, secrets: clientSecrets }] : [];
  });
}

async function decryptSecrets(claimed: ClaimedDelivery[]) {
  const secrets = new Map<string, string[]>();
  const unreadable: Quarantined[] = [];
  const endpoints = new Map(claimed.map((delivery) => [delivery.clientId, delivery]));
  await Promise.all(
    [...endpoints.values()].map(async ({ clientId, secretEncrypted, previousSecretEncrypted }) => {
      const decrypt = (encrypted: string) =>
        decryptText(encrypted, webhookSecretContext(clientId), serviceConfig().keyring);
      const encrypted = [secretEncrypted, ...(previousSecretEncrypted === null ? [] : [previousSecretEncrypted])];
      try {
        secrets.set(clientId, await Promise.all(encrypted.map(decrypt)));
      } catch {
        unreadable.push({ id: clientId, reason: "its secret cannot be decrypted" });
      }
    }),
  );
  return { secrets, unreadable };
}

/**
 * Attempts one delivery and records the result; undefined if nothing was recorded. An attempt aborted by `stopping`
 * is released, so that another process can make it right away.
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
  const sentAtMs = performance.now();
  const reply = await send({ ...delivery, sentAt }, stopping);
  if (reply.kind === "not_sent") {
    // Quarantine the endpoint, so that the rest of its backlog isn't tried in vain, until one attempt is sent.
    await quarantineRows("webhook_endpoint", [
      { id: delivery.clientId, reason: `could not be dialed: ${reply.error}` },
    ]);
    await releaseDelivery(database(), delivery);
    return undefined;
  }
  if (stopping.aborted && reply.kind === "unanswered") {
    await releaseDelivery(database(), delivery);
    return undefined;
  }
  const durationMs = Math.round(performance.now() - sentAtMs);
  endpointMeter().observe(reply.kind === "answered" ? reply.status : 0, durationMs);
  if (delivery.attempts === 0) measureFirstAttempt(delivery.id);
  const judged = judge(delivery, reply);
  const { traceId, clientId, id: webhookId, leasedUntil, url } = delivery;
  const result = { ...judged, deliveryId: webhookId, clientId, leasedUntil, url, sentAt, durationMs };
  const outcome = await record()(result);
  if (delivery.wasSetAside) await releaseFromQuarantine(database(), "webhook_endpoint", [delivery.clientId]);
  if (outcome.kind === "late") {
    log().warn({ traceId, clientId, webhookId, durationMs, ...judged }, "a webhook attempt lost its lease");
    return undefined;
  }
  if (outcome.kind === "refused") {
    await quarantineRows("delivery", [{ id: delivery.id, reason: outcome.reason }]);
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
): Omit<AttemptResult, "deliveryId" | "clientId" | "leasedUntil" | "sentAt" | "durationMs" | "url"> {
  const attempt = attempts + 1;
  const responseStatus = reply.kind === "answered" ? reply.status : null;
  const error = reply.kind === "unanswered" ? reply.error : null;
  const isProbe = failedProbes !== null;
  const common = { attempt, responseStatus, error, isGone: responseStatus === 410, isProbe };
  if (responseStatus !== null && responseStatus >= 200 && responseStatus < 300) {
    return { ...common, status: "delivered", delayMs: null, nextProbeMs: 0 };
  }
  const retryAfterMs = reply.kind === "answered" ? retryAfterMsOf(reply.retryAfter, Date.now()) : undefined;
  const pause = { random: Math.random(), retryAfterMs };
  const delayMs = nextAttemptDelayMs(attempt, pause) ?? null;
  const nextProbeMs = nextProbeDelayMs(isProbe ? failedProbes + 1 : 0, pause);
  return { ...common, status: delayMs === null ? "failed" : "pending", delayMs, nextProbeMs };
}

/**
 * `late`: the lease ended without an answer, another worker has claimed the delivery, or it's to be sent again by hand.
 * `refused`: the database rejects this row.
 */
type RecordOutcome = { kind: "recorded" | "late" } | { kind: "refused"; reason: string };

/**
 * Records attempts in one statement, with the next attempts and the health of the endpoints. If the database rejects a
 * row, it's bisected out. Returns one outcome per attempt.
 */
export async function recordAttempts(results: AttemptResult[]): Promise<RecordOutcome[]> {
  const { done, failed } = await bisect(results, recordTogether);
  const recorded = new Set(done.flat());
  const reasons = new Map(failed.map(({ item, error }) => [item, reasonOf(error)]));
  return results.map((result) => {
    const reason = reasons.get(result);
    if (reason !== undefined) return { kind: "refused", reason };
    return { kind: recorded.has(result) ? "recorded" : "late" };
  });
}

function recordTogether(results: AttemptResult[]): Promise<AttemptResult[]> {
  return retryConflicts(() =>
    runSingleStatement(servicePool(), {
      run: (connection) => recordDeliveryAttempts(connection, results),
      readBack: (connection) => lockRecordedAttempts(connection, results),
    }),
  );
}

const endpointMeter = memoize(() => callMeter({ to: "webhook_endpoint", method: "POST", route: "webhook" }));

// One batch in flight: results that arrive while it runs form the next one.
const record = perCell("service.delivery_attempts", () =>
  createBatcher({ name: "set of webhook attempts", run: recordAttempts, inFlightMax: 1 }),
);

import { decisionOf } from "#client";
import type { WebhookType } from "../../contract/webhooks.ts";
import { log } from "../../kit/log.ts";
import { refreshAccount, refreshUserStatus } from "../connections/connected-users.ts";
import { applyUserIntentDecision } from "../onboarding/onboarding-status.ts";
import type { Partner } from "../partner.ts";
import { withinAction } from "../requests/current-action.ts";
import { applyRoutineUpdate, refreshRoutine } from "../routines/refresh-routine.ts";
import { isIntentKnown, offerAuthorization } from "../storage/onboardings.ts";
import { findRoutineByServiceId } from "../storage/routines.ts";
import { findServiceUser } from "../storage/service-users.ts";
import { findTokenPair } from "../storage/token-pairs.ts";
import {
  claimWebhookReceipts,
  finishWebhookReceipt,
  postponeWebhookReceipt,
  type WebhookReceipt,
} from "../storage/webhook-receipts.ts";

// Longer than processing one can take: a refresh and two calls of 10 s each.
const leaseSeconds = 60;
const runnersMax = 20;

// An event can arrive before the answer to the request that caused it, but not by much.
const secondsUntilNotOurs = [1, 2, 5, 20];
// The last one repeats, for about a day.
const secondsBetweenTries = [1, 5, 30, 120, 600];
const triesMax = 150;

export type WebhookProcessing = {
  /** Starts a runner if there is room; returns at once. */
  open: () => void;
  isFull: () => boolean;
  /** Resolves once all runners are done; with `stop`, no more start. */
  idle: (how?: { stop: boolean }) => Promise<void>;
};

/** A runner that finds a receipt starts another runner, so a burst uses all of them. */
export function createWebhookProcessing(partner: Partner): WebhookProcessing {
  const runners = new Set<Promise<void>>();
  let isStopped = false;

  function open(): void {
    if (isStopped || runners.size >= runnersMax) return;
    const runner = work()
      .catch((error) => log().error({ error }, "processing webhooks failed and will be retried"))
      .finally(() => runners.delete(runner));
    runners.add(runner);
  }

  async function work(): Promise<void> {
    while (!isStopped) {
      const [receipt] = await claimWebhookReceipts(partner.db, { limit: 1, leaseSeconds });
      if (!receipt) return;
      open();
      await processReceipt(partner, receipt);
    }
  }

  async function idle({ stop } = { stop: false }): Promise<void> {
    isStopped ||= stop;
    while (runners.size > 0) await Promise.all(runners);
  }

  return { open, isFull: () => runners.size >= runnersMax, idle };
}

export async function processWebhooks(partner: Partner): Promise<void> {
  const runners = createWebhookProcessing(partner);
  runners.open();
  await runners.idle();
}

async function processReceipt(partner: Partner, receipt: WebhookReceipt): Promise<void> {
  const { webhookId, webhookType, traceId, attempts } = receipt;
  const applied = await tryToApply(partner, receipt);
  const seconds = secondsUntilNextTry(applied, attempts);
  log().info({ traceId, webhookId, webhookType, applied, attempts }, "webhook processed");
  if (seconds === undefined) await finishWebhookReceipt(partner.db, webhookId, applied);
  else await postponeWebhookReceipt(partner.db, webhookId, seconds);
}

async function tryToApply(partner: Partner, receipt: WebhookReceipt): Promise<WebhookOutcome> {
  const { traceId, webhookType, webhookId, userId, resourceId } = receipt;
  const about = [userId, resourceId].filter((id) => id !== null);
  try {
    return await withinAction({ traceId, cause: `webhook ${webhookType}`, about }, () =>
      applyWebhook(partner, receipt),
    );
  } catch (error) {
    log().error({ error, traceId, webhookId }, "applying a webhook failed");
    return "try_later";
  }
}

function secondsUntilNextTry(applied: WebhookOutcome, attempts: number): number | undefined {
  // No limit: the event can be about a payment whose answer was lost.
  if (applied === "not_yet_known") return secondsBetweenTries[attempts - 1] ?? secondsBetweenTries.at(-1);
  if (applied === "not_ours") return secondsUntilNotOurs[attempts - 1];
  if (applied === "try_later" && attempts < triesMax)
    return secondsBetweenTries[attempts - 1] ?? secondsBetweenTries.at(-1);
  return undefined;
}

/**
 * What happened to an event. `not_ours`: Harbor doesn't know its resource. `not_yet_known`: the same, but an answer that
 * Harbor waits for might be about it. `try_later`: the record couldn't be read yet.
 */
export type WebhookOutcome = "applied" | "ignored" | "not_ours" | "not_yet_known" | "try_later";

type NamedReceipt = WebhookReceipt & { resourceId: string };
type Application = (partner: Partner, receipt: NamedReceipt) => Promise<WebhookOutcome>;

const applications: Record<WebhookType, Application> = {
  user_intent_updated: applyUserIntentUpdate,
  user_updated: applyUserUpdate,
  routine_updated: (partner, { resourceId, traceId }) =>
    applyRoutineUpdate(partner, { serviceRoutineId: resourceId }, { traceId }),
  transfer_updated: (partner, { resourceId, traceId }) =>
    applyRoutineUpdate(partner, { transferId: resourceId }, { traceId }),
};

/**
 * Fetches the record that an event is about. Events carry no state, so duplicates and any order give the same result.
 * An event of unknown type is applied by the resource that it names.
 */
export async function applyWebhook(partner: Partner, receipt: WebhookReceipt): Promise<WebhookOutcome> {
  const { resourceId, webhookType } = receipt;
  if (resourceId === null) return "ignored";
  const apply = Object.hasOwn(applications, webhookType) ? applications[webhookType as WebhookType] : applyByResource;
  return apply(partner, { ...receipt, resourceId });
}

// The names of routine and transfer events are not published.
async function applyByResource(partner: Partner, receipt: NamedReceipt): Promise<WebhookOutcome> {
  const { resourceId, traceId } = receipt;
  if (await isIntentKnown(partner.db, resourceId)) return applyUserIntentUpdate(partner, receipt);
  if (await findServiceUser(partner.db, resourceId)) return applyUserUpdate(partner, receipt);
  // Known payments first, because a service can refuse to read a transfer's id as a routine's.
  const ids = [{ serviceRoutineId: resourceId }, { transferId: resourceId }];
  const rows = await Promise.all(ids.map((id) => findRoutineByServiceId(partner.db, id)));
  const known = new Set(rows.flatMap((row) => row?.id ?? []));
  if (known.size > 0) {
    const refreshed = await Promise.all([...known].map((id) => refreshRoutine(partner, id, { traceId })));
    return refreshed.includes("try_later") ? "try_later" : "applied";
  }
  const asRoutine = await applications.routine_updated(partner, receipt);
  const applied = asRoutine === "not_ours" ? await applications.transfer_updated(partner, receipt) : asRoutine;
  return applied === "not_ours" ? "ignored" : applied;
}

/**
 * Applies an intent's decision. If the service doesn't share its status, the event alone lets the person continue to
 * the authorization pages.
 */
export async function applyUserIntentUpdate(
  partner: Partner,
  { resourceId, traceId }: NamedReceipt,
): Promise<WebhookOutcome> {
  const requestedAt = new Date();
  const answer = await partner.client.readUserIntent(resourceId, { traceId });
  if (answer.kind === "ok") {
    const applied = await applyUserIntentDecision(partner, answer.body, requestedAt);
    if (applied !== "unknown_status") return applied === "applied" ? "applied" : "not_ours";
  }
  const isAnswered = answer.kind === "ok" || answer.kind === "unreadable";
  if (!isAnswered && decisionOf(answer) !== "definite") return "try_later";
  return (await offerAuthorization(partner.db, resourceId)) ? "applied" : "not_ours";
}

/** Applies a user's new status, and finds the account that an approval opens. */
export async function applyUserUpdate(
  partner: Partner,
  { resourceId, traceId }: NamedReceipt,
): Promise<WebhookOutcome> {
  const user = await findServiceUser(partner.db, resourceId);
  if (!user) return "not_ours";
  const read = await refreshUserStatus(partner, user.id, { traceId });
  // Without tokens, the record is read when the person authorizes; refused ones may be accepted again.
  if (read === "reauthorization_required") return (await findTokenPair(partner.db, user.id)) ? "try_later" : "ignored";
  if (read !== "ok") return "try_later";
  const isAccountKnown = user.accountId !== null || (await refreshAccount(partner, user.id)) !== undefined;
  // Without an account, an approved seller can't be paid.
  return isAccountKnown ? "applied" : "try_later";
}

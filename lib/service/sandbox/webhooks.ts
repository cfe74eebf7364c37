import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { WebhookFaultKind } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { encryptWebhookSecret, newWebhookSecret } from "../operations/clients/new-secrets.ts";
import type { SendWebhook } from "../outbound/deliver-webhook.ts";
import type { ClaimedWebhook, PlannedDelivery } from "../providers.ts";
import { database } from "../storage/database.ts";
import { type Delivery, listDeliveries, redeliver } from "../storage/deliveries.ts";
import { type ListPart, type Page, readPart } from "../storage/pagination.ts";
import { findWebhookEndpoint, replaceWebhookSecret, type WebhookEndpoint } from "../storage/webhook-endpoints.ts";
import { logHeldBack, watchedSend } from "./events/watch-deliveries.ts";
import {
  deleteWebhookFault,
  findWebhookFault,
  listFaultyClientIds,
  releaseReorderedDelivery,
  takeWebhookFault,
  upsertWebhookFault,
  type WebhookFault,
} from "./storage/faults.ts";

export type { Delivery } from "../storage/deliveries.ts";
export type { WebhookFault } from "./storage/faults.ts";

/** A client's webhook endpoint and fault, and a page of its deliveries with every attempt. */
export type WebhookOverview = {
  endpoint: WebhookEndpoint;
  fault: WebhookFault | undefined;
  deliveries: ListPart<Delivery>;
};

export async function readWebhooks({ clientId, ...page }: Page & { clientId: string }): Promise<WebhookOverview> {
  const [endpoint, fault, deliveries] = await Promise.all([
    findWebhookEndpoint(database(), clientId),
    findWebhookFault(database(), clientId),
    readPart(page, (part) => listDeliveries(database(), { clientId, ...part })),
  ]);
  return { endpoint, fault, deliveries };
}

/** Redelivers a webhook with the same id and bytes; undefined for an unknown webhook. */
export function sendAgain(id: string, { clientId }: { clientId: string }): Promise<Delivery | undefined> {
  return redeliver(database(), { id, clientId });
}

/** Rotates a client's signing secret, returned only here. Webhooks have both signatures until the old one expires. */
export async function rotateWebhookSecret(
  clientId: string,
): Promise<{ webhookSecret: string; endpoint: WebhookEndpoint }> {
  const webhookSecret = newWebhookSecret();
  const secretEncrypted = await encryptWebhookSecret(clientId, webhookSecret);
  const previousSeconds = limits.webhookPreviousSecretSeconds;
  const endpoint = await replaceWebhookSecret(database(), { clientId, secretEncrypted, previousSeconds });
  return { webhookSecret, endpoint };
}

// Longer than a slow network, and the limit for a webhook that waits to be overtaken.
const delaySeconds = 5;
const reorderSeconds = 10;
// Beyond a receiver's timestamp tolerance of 5 minutes.
const staleMs = 6 * 60 * 1000;

/** Sets the fault of a client's next webhooks, replacing an earlier one (Decision D16). */
export async function setWebhookFault(clientId: string, fault: WebhookFault): Promise<WebhookFault> {
  await upsertWebhookFault(database(), { clientId, ...fault });
  return fault;
}

export function clearWebhookFault(clientId: string): Promise<void> {
  return deleteWebhookFault(database(), clientId);
}

type HeldBack = "delay" | "reorder";

/**
 * The claimed deliveries to send now, and how. Delayed and reordered ones are released. Retries and deliveries that already had
 * their fault are sent normally.
 */
export async function planWithFaults<Delivery extends ClaimedWebhook>(
  claimed: Delivery[],
  send: SendWebhook,
): Promise<PlannedDelivery<Delivery>[]> {
  if (claimed.length === 0) return [];
  const faulty = await listFaultyClientIds(database(), [...new Set(claimed.map(({ clientId }) => clientId))]);
  const planned: PlannedDelivery<Delivery>[] = [];
  // By creation, so that "the next three" really are.
  for (const delivery of claimed.toSorted((left, right) => (left.id < right.id ? -1 : 1))) {
    const { id, clientId } = delivery;
    const watched = watchedSend(delivery, send);
    if (!faulty.has(clientId)) {
      planned.push({ delivery, send: watched(null) });
      continue;
    }
    const kind = await takeWebhookFault(database(), { id, clientId, delaySeconds, reorderSeconds });
    if (kind === "delay" || kind === "reorder") {
      logHeldBack(delivery, kind);
      continue;
    }
    planned.push({ delivery, send: releasing(clientId, sendWith(kind, watched)) });
  }
  return planned;
}

// `watched` records the attempt with the fault's name.
function sendWith(
  kind: Exclude<WebhookFaultKind, HeldBack> | undefined,
  watched: (fault: WebhookFaultKind | null) => SendWebhook,
): SendWebhook {
  const send = watched(null);
  switch (kind) {
    case undefined:
      return send;
    case "drop":
      return watched("drop");
    case "duplicate":
      return async (webhook, stopping) => {
        const [reply] = await Promise.all([send(webhook, stopping), watched("duplicate")(webhook, stopping)]);
        return reply;
      };
    case "tamper":
      // Changed in transit, so the signature no longer matches.
      return (webhook, stopping) => {
        const secrets = [randomBytes(32).toString("base64")];
        return watched("tamper")({ ...webhook, body: tamperedBody(webhook.body), secrets }, stopping);
      };
    case "stale":
      return (webhook, stopping) =>
        watched("stale")({ ...webhook, sentAt: new Date(webhook.sentAt.getTime() - staleMs) }, stopping);
    case "old_secret":
      // Signed before the rotation, delivered after it. The current secret comes first.
      return (webhook, stopping) => watched("old_secret")({ ...webhook, secrets: webhook.secrets.slice(-1) }, stopping);
    case "unknown_type":
      // An extra webhook, or a receiver that accepts it would never get the real one.
      return async (webhook, stopping) => {
        const id = newId();
        await watched("unknown_type")({ ...webhook, id, body: bodyOfUnknownType(webhook.body, id) }, stopping);
        return send(webhook, stopping);
      };
  }
}

function releasing(clientId: string, send: SendWebhook): SendWebhook {
  return async (webhook, stopping) => {
    const reply = await send(webhook, stopping);
    await releaseReorderedDelivery(database(), clientId);
    return reply;
  };
}

function tamperedBody(body: string): string {
  return JSON.stringify({ ...JSON.parse(body), resource_id: newId() });
}

function bodyOfUnknownType(body: string, id: string): string {
  return JSON.stringify({ ...JSON.parse(body), webhook_type: "sandbox_surprise", webhook_id: id });
}

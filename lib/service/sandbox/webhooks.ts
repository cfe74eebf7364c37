import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { WebhookFaultKind } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { encryptWebhookSecret, newWebhookSecret } from "../operations/clients/new-secrets.ts";
import type { SendWebhook } from "../outbound/deliver-webhook.ts";
import type { ClaimedWebhook } from "../providers.ts";
import { database, inTransaction } from "../storage/database.ts";
import { type Delivery, listDeliveries, lockDeliveriesInPeriod, makeDue, redeliver } from "../storage/deliveries.ts";
import { type ListPart, type Page, readPart } from "../storage/pagination.ts";
import {
  findWebhookEndpoint,
  lockPreviousWebhookSecret,
  replaceWebhookSecret,
  type WebhookEndpoint,
} from "../storage/webhook-endpoints.ts";
import { logHeldBack, watchedSend } from "./events/watch-deliveries.ts";
import {
  deleteWebhookFault,
  findWebhookFault,
  listFaultyClientIds,
  releaseHeldBack,
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

/**
 * Makes a client's failed or waiting webhooks due now, if created since `since` in real time: the oldest, up to one call's
 * limit. Webhooks that are already due don't count.
 */
export function recoverWebhooks(clientId: string, since: Date): Promise<{ recovered: number; moreExist: boolean }> {
  const { sandboxRecoveriesMax: limit } = limits;
  return inTransaction(async (tx) => {
    const period = { clientId, from: since, until: new Date(), limit: limit + 1 };
    const ids = await lockDeliveriesInPeriod(tx, { ...period, isStuck: true });
    const recovered = await makeDue(tx, { ids: ids.slice(0, limit), clientId });
    return { recovered, moreExist: ids.length > limit };
  });
}

/**
 * Rotates a client's signing secret, returned only here. Webhooks have both signatures until the old one expires or is rotated
 * out. A drill can be repeated, so an older secret that still signs ends early instead of refusing the rotation.
 */
export async function rotateWebhookSecret(
  clientId: string,
): Promise<{ webhookSecret: string; endpoint: WebhookEndpoint; olderSecretEnded: boolean }> {
  const webhookSecret = newWebhookSecret();
  const secretEncrypted = await encryptWebhookSecret(clientId, webhookSecret);
  const previousSeconds = limits.webhookPreviousSecretSeconds;
  return inTransaction(async (tx) => {
    const olderSecretEnded = (await lockPreviousWebhookSecret(tx, clientId)) !== undefined;
    const endpoint = await replaceWebhookSecret(tx, { clientId, secretEncrypted, previousSeconds });
    return { webhookSecret, endpoint, olderSecretEnded };
  });
}

// How long each fault holds a webhook: longer than a slow network, at most until it's overtaken, at most until the fault ends.
const heldBackSeconds = { delay: 5, reorder: 10, withhold: 60 * 60 } as const;
// Beyond a receiver's timestamp tolerance of 5 minutes.
const staleMs = 6 * 60 * 1000;

/** Sets the fault of a client's next webhooks, replacing an earlier one (Decision D16). */
export function setWebhookFault(clientId: string, fault: WebhookFault): Promise<WebhookFault> {
  return inTransaction(async (tx) => {
    await upsertWebhookFault(tx, { clientId, ...fault });
    if (fault.kind !== "withhold") await releaseHeldBack(tx, { clientId, kind: "withhold" });
    return fault;
  });
}

export function clearWebhookFault(clientId: string): Promise<void> {
  return inTransaction(async (tx) => {
    await deleteWebhookFault(tx, clientId);
    await releaseHeldBack(tx, { clientId, kind: "withhold" });
  });
}

type HeldBack = keyof typeof heldBackSeconds;

function isHeldBack(kind: WebhookFaultKind | undefined): kind is HeldBack {
  return kind !== undefined && kind in heldBackSeconds;
}

/**
 * Starts the claimed deliveries, those of clients without a fault first. Those that a fault holds back are released. Retries and
 * deliveries that already had their fault are sent normally.
 */
export async function startWithFaults<Delivery extends ClaimedWebhook>(
  claimed: Delivery[],
  send: SendWebhook,
  start: (delivery: Delivery, send: SendWebhook) => void,
): Promise<void> {
  if (claimed.length === 0) return;
  const faultyIds = await listFaultyClientIds(database(), [...new Set(claimed.map(({ clientId }) => clientId))]);
  const faulty: Delivery[] = [];
  for (const delivery of claimed) {
    if (faultyIds.has(delivery.clientId)) faulty.push(delivery);
    else start(delivery, watchedSend(delivery, send)(null));
  }
  // By creation, so that "the next three" are the oldest three.
  for (const delivery of faulty.toSorted((left, right) => (left.id < right.id ? -1 : 1))) {
    const { id, clientId } = delivery;
    const kind = await takeWebhookFault(database(), { id, clientId, heldBackSeconds });
    if (isHeldBack(kind)) logHeldBack(delivery, kind);
    else start(delivery, releasing(clientId, sendWith(kind, watchedSend(delivery, send))));
  }
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
      // As if changed in transit: the signature doesn't match.
      return (webhook, stopping) => {
        const secrets = [randomBytes(32).toString("base64")];
        return watched("tamper")({ ...webhook, body: tamperedBody(webhook.body), secrets }, stopping);
      };
    case "stale":
      return (webhook, stopping) =>
        watched("stale")({ ...webhook, sentAt: new Date(webhook.sentAt.getTime() - staleMs) }, stopping);
    case "reformatted":
      return (webhook, stopping) =>
        watched("reformatted")({ ...webhook, body: reformattedBody(webhook.body) }, stopping);
    case "old_secret":
      // Signed before the rotation, delivered after it. The current secret comes first.
      return (webhook, stopping) => watched("old_secret")({ ...webhook, secrets: webhook.secrets.slice(-1) }, stopping);
    case "unknown_type":
      // Sent in addition: a receiver that accepts it must still get the real one.
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
    await releaseHeldBack(database(), { clientId, kind: "reorder" });
    return reply;
  };
}

function tamperedBody(body: string): string {
  return JSON.stringify({ ...JSON.parse(body), resource_id: newId() });
}

/** The same JSON with spaces, and each text's first letter escaped: parsing and serializing it changes every line. */
function reformattedBody(body: string): string {
  const spaced = JSON.stringify(JSON.parse(body), null, 1);
  return spaced.replaceAll(/": "([a-z])/g, (_, letter: string) => `": "\\u00${letter.charCodeAt(0).toString(16)}`);
}

function bodyOfUnknownType(body: string, id: string): string {
  return JSON.stringify({ ...JSON.parse(body), webhook_type: "sandbox_surprise", webhook_id: id });
}

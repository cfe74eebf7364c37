import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import { encryptText } from "../../kit/encryption.ts";
import { serviceConfig } from "../config.ts";
import { type ListPart, readPart } from "../operations/list-part.ts";
import { database } from "../storage/database.ts";
import { type Delivery, listDeliveries, redeliver } from "../storage/deliveries.ts";
import type { Page } from "../storage/routines.ts";
import {
  findWebhookEndpoint,
  replaceWebhookSecret,
  type WebhookEndpoint,
  webhookSecretContext,
} from "../storage/webhook-endpoints.ts";
import { findWebhookFault, type WebhookFault } from "./storage/webhook-faults.ts";

export type { Delivery } from "../storage/deliveries.ts";

/** Everything about a client's webhooks: where they go, what is to go wrong, and a page of them with every attempt. */
export type WebhookOverview = {
  endpoint: WebhookEndpoint;
  fault: WebhookFault | undefined;
  deliveries: ListPart<Delivery>;
};

/** A client's webhooks at a glance, a page of them, newest first. */
export async function readWebhooks({ clientId, ...page }: Page & { clientId: string }): Promise<WebhookOverview> {
  const [endpoint, fault, deliveries] = await Promise.all([
    findWebhookEndpoint(database(), clientId),
    findWebhookFault(database(), clientId),
    readPart(page, (part) => listDeliveries(database(), { clientId, ...part })),
  ]);
  return { endpoint, fault, deliveries };
}

/** Sends one client's webhook once more, with the same id and bytes; undefined when the client has no such webhook. */
export function sendAgain(id: string, { clientId }: { clientId: string }): Promise<Delivery | undefined> {
  return redeliver(database(), { id, clientId });
}

/** Gives a client a new signing secret, shown here only. Webhooks bear both signatures until the old one ends. */
export async function rotateWebhookSecret(
  clientId: string,
): Promise<{ webhookSecret: string; endpoint: WebhookEndpoint }> {
  const webhookSecret = newWebhookSecret();
  const secretEncrypted = await encryptText(webhookSecret, webhookSecretContext(clientId), serviceConfig().keyring);
  const previousSeconds = limits.webhookPreviousSecretSeconds;
  const endpoint = await replaceWebhookSecret(database(), { clientId, secretEncrypted, previousSeconds });
  return { webhookSecret, endpoint };
}

/** A signing secret as Standard Webhooks writes it: the prefix, then 256 random bits in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

import type * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import { secretRotation } from "../../../contract/operator.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { type Client, replaceClientSecret, updateClient } from "../../storage/clients.ts";
import type { Db } from "../../storage/database.ts";
import { lockPreviousWebhookSecret, replaceWebhookSecret } from "../../storage/webhook-endpoints.ts";
import { type Applied, type ChangeRefusal, type ClientChangeOperation, refused } from "./audited-change.ts";
import {
  encryptCustomerEndpointSecret,
  encryptWebhookSecret,
  newClientSecret,
  newCustomerEndpointSecret,
  newWebhookSecret,
} from "./new-secrets.ts";

/**
 * Replaces a client's secret. The old one stays valid for another day, unless `at_once`. Only one old secret can, so until
 * then another replacement must be `at_once`. A customer endpoint has one secret at a time.
 */
export const rotateSecret: ClientChangeOperation<typeof secretRotation> = {
  action: "rotate-secret",
  body: secretRotation,
  apply: async (tx, client, { secret, at_once, value }) => {
    const previousEnds = at_once ? undefined : await findPreviousEnd(tx, client, secret);
    if (previousEnds) return refuseUntil(previousEnds);
    const { id } = client;
    const previousSeconds = at_once ? 0 : limits.webhookPreviousSecretSeconds;
    switch (secret) {
      case "client":
        return rotateOwn(tx, id, previousSeconds);
      case "webhook":
        return rotateWebhook(tx, id, previousSeconds);
      case "customer_endpoint":
        return rotateCustomerEndpoint(tx, id, value);
    }
  },
};

async function findPreviousEnd(
  tx: Db,
  { id: clientId, previousSecretEndsRealAt }: Client,
  secret: z.output<typeof secretRotation>["secret"],
): Promise<Date | undefined> {
  switch (secret) {
    case "client":
      return previousSecretEndsRealAt && previousSecretEndsRealAt.getTime() > Date.now()
        ? previousSecretEndsRealAt
        : undefined;
    case "webhook":
      return lockPreviousWebhookSecret(tx, clientId);
    case "customer_endpoint":
      return undefined;
  }
}

function refuseUntil(previousEnds: Date): ChangeRefusal {
  const message = `The secret before this one still works until ${previousEnds.toISOString()}: wait, or end both at once.`;
  return refused("secret", message);
}

async function rotateOwn(tx: Db, clientId: string, previousSeconds: number): Promise<Applied> {
  const secret = newClientSecret();
  const client = await replaceClientSecret(tx, { clientId, secretHash: sha256(secret), previousSeconds });
  const details = { secret: "client", ...endOf(client.previousSecretEndsRealAt) };
  return { kind: "applied", details, secrets: { client_secret: secret } };
}

async function rotateWebhook(tx: Db, clientId: string, previousSeconds: number): Promise<Applied> {
  const secret = newWebhookSecret();
  const secretEncrypted = await encryptWebhookSecret(clientId, secret);
  const endpoint = await replaceWebhookSecret(tx, { clientId, secretEncrypted, previousSeconds });
  const details = { secret: "webhook", ...endOf(endpoint.previousSecretExpiresAt) };
  return { kind: "applied", details, secrets: { webhook_secret: secret } };
}

async function rotateCustomerEndpoint(
  tx: Db,
  clientId: string,
  secret = newCustomerEndpointSecret(),
): Promise<Applied> {
  const encrypted = await encryptCustomerEndpointSecret(clientId, secret);
  await updateClient(tx, clientId, { customerEndpointSecretEncrypted: encrypted });
  const details = { secret: "customer_endpoint" };
  return { kind: "applied", details, secrets: { customer_endpoint_secret: secret } };
}

function endOf(previousEnds: Date | null) {
  return { previous_secret_expires_at: previousEnds?.toISOString() ?? null };
}

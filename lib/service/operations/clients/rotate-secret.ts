import { limits } from "../../../contract/limits.ts";
import { secretRotation } from "../../../contract/operator.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { replaceClientSecret, updateClient } from "../../storage/clients.ts";
import type { Db } from "../../storage/database.ts";
import { replaceWebhookSecret } from "../../storage/webhook-endpoints.ts";
import type { Applied, ClientChangeOperation } from "./audited-change.ts";
import {
  encryptCustomerEndpointSecret,
  encryptWebhookSecret,
  newClientSecret,
  newCustomerEndpointSecret,
  newWebhookSecret,
} from "./new-secrets.ts";

/**
 * Replaces a client's secret. The old one stays valid for another day, unless `at_once`. A customer endpoint has one
 * secret at a time.
 */
export const rotateSecret: ClientChangeOperation<typeof secretRotation> = {
  action: "rotate-secret",
  body: secretRotation,
  apply: (tx, { id }, { secret, at_once, value }) => {
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

import { limits } from "../../../contract/limits.ts";
import { secretRotation } from "../../../contract/operator.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { updateClient } from "../../storage/clients.ts";
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

/** Replaces one of a client's secrets. The old webhook secret signs for a day more; the others end at once. */
export const rotateSecret: ClientChangeOperation<typeof secretRotation> = {
  action: "rotate-secret",
  body: secretRotation,
  apply: (tx, { id }, { secret }) => rotations[secret](tx, id),
};

const rotations = { client: rotateOwn, webhook: rotateWebhook, customer_endpoint: rotateCustomerEndpoint };

async function rotateOwn(tx: Db, clientId: string): Promise<Applied> {
  const secret = newClientSecret();
  await updateClient(tx, clientId, { secretHash: sha256(secret) });
  return { kind: "applied", details: { secret: "client" }, secrets: { client_secret: secret } };
}

async function rotateWebhook(tx: Db, clientId: string): Promise<Applied> {
  const secret = newWebhookSecret();
  const secretEncrypted = await encryptWebhookSecret(clientId, secret);
  const previousSeconds = limits.webhookPreviousSecretSeconds;
  const endpoint = await replaceWebhookSecret(tx, { clientId, secretEncrypted, previousSeconds });
  const previousEnds = endpoint.previousSecretExpiresAt?.toISOString() ?? null;
  const details = { secret: "webhook", previous_secret_expires_at: previousEnds };
  return { kind: "applied", details, secrets: { webhook_secret: secret } };
}

async function rotateCustomerEndpoint(tx: Db, clientId: string): Promise<Applied> {
  const secret = newCustomerEndpointSecret();
  const encrypted = await encryptCustomerEndpointSecret(clientId, secret);
  await updateClient(tx, clientId, { customerEndpointSecretEncrypted: encrypted });
  const details = { secret: "customer_endpoint" };
  return { kind: "applied", details, secrets: { customer_endpoint_secret: secret } };
}

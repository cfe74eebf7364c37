import { randomBytes } from "node:crypto";
import { encryptText, newSecret } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { customerEndpointSecretContext } from "../../storage/clients.ts";
import { webhookSecretContext } from "../../storage/delivery-queue.ts";

export const newClientSecret = () => newSecret("gwk_");
export const newCustomerEndpointSecret = () => newSecret("gwe_");

/** In the format of Standard Webhooks: the prefix, then 256 random bits in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

export function encryptWebhookSecret(clientId: string, secret: string): Promise<string> {
  return encryptText(secret, webhookSecretContext(clientId), serviceConfig().keyring);
}

export function encryptCustomerEndpointSecret(clientId: string, secret: string): Promise<string> {
  return encryptText(secret, customerEndpointSecretContext(clientId), serviceConfig().keyring);
}

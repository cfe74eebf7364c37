import { randomBytes } from "node:crypto";
import { encryptText } from "../../../kit/encryption.ts";
import { newSecret } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import { customerEndpointSecretContext } from "../../storage/clients.ts";
import { webhookSecretContext } from "../../storage/delivery-queue.ts";

/** What a client proves itself with, 256 random bits. */
export const newClientSecret = () => newSecret("gwk_");
/** What the service presents to a client's customer endpoint. */
export const newCustomerEndpointSecret = () => newSecret("gwe_");

/** A signing secret as Standard Webhooks writes it: the prefix, then 256 random bits in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** A client's webhook secret as it is stored. */
export function encryptWebhookSecret(clientId: string, secret: string): Promise<string> {
  return encryptText(secret, webhookSecretContext(clientId), serviceConfig().keyring);
}

/** A client's customer endpoint secret as it is stored. */
export function encryptCustomerEndpointSecret(clientId: string, secret: string): Promise<string> {
  return encryptText(secret, customerEndpointSecretContext(clientId), serviceConfig().keyring);
}

import type * as z from "zod/mini";
import type { clientCreation } from "../../../contract/operator.ts";
import { newId } from "../../../kit/ids.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { inCell } from "../../cells.ts";
import { serviceConfig } from "../../config.ts";
import { chooseCell } from "../../storage/client-cells.ts";
import { insertClient } from "../../storage/clients.ts";
import type { Db } from "../../storage/database.ts";
import { upsertWebhookEndpoint } from "../../storage/webhook-endpoints.ts";
import { isSandboxClientId } from "../refuse-sandbox-data.ts";
import { type AppliedChange, type ChangeOrigin, type ChangeRefusal, makeChange, refused } from "./audited-change.ts";
import {
  encryptCustomerEndpointSecret,
  encryptWebhookSecret,
  newClientSecret,
  newCustomerEndpointSecret,
  newWebhookSecret,
} from "./new-secrets.ts";
import { findReceiverRefusal, findRedirectRefusal } from "./refuse-address.ts";

/** Registers a client with its secrets, but without a business, in the cell with the fewest clients. */
export async function createClient(
  origin: Omit<ChangeOrigin, "clientId">,
  body: z.output<typeof clientCreation>,
): Promise<AppliedChange | ChangeRefusal> {
  const { client_id: id, name, redirect_uris: redirectUris, customers_url: customersUrl, webhook_url: url } = body;
  if (serviceConfig().mode === "production" && isSandboxClientId(id)) {
    return refused("client_id", "This id is reserved for sandboxes: choose another one.");
  }
  for (const [index, uri] of redirectUris.entries()) {
    const problem = findRedirectRefusal(uri);
    if (problem) return refused(`redirect_uris.${index}`, problem);
  }
  for (const [field, address] of Object.entries({ webhook_url: url, customers_url: customersUrl })) {
    const problem = address === null ? undefined : findReceiverRefusal(address);
    if (problem) return refused(field, problem);
  }
  const secrets = {
    client_secret: newClientSecret(),
    webhook_secret: newWebhookSecret(),
    customer_endpoint_secret: newCustomerEndpointSecret(),
  };
  const client = {
    id,
    name,
    secretHash: sha256(secrets.client_secret),
    redirectUris,
    isTrustedAuthenticationEnabled: body.trusted_authentication,
    provider: body.provider ?? id,
    customersUrl,
    customerEndpointSecretEncrypted: await encryptCustomerEndpointSecret(id, secrets.customer_endpoint_secret),
    businessProfileId: newId(),
  };
  const secretEncrypted = await encryptWebhookSecret(id, secrets.webhook_secret);
  const insert = (tx: Db) => insertClient(tx, client, { isDryRun: body.dry_run });
  const create = () =>
    makeChange({ ...origin, ...body, clientId: id, action: "create" }, insert, async (tx, row) => {
      if (!row) return refused("client_id", "A client with this id already exists.");
      await upsertWebhookEndpoint(tx, { clientId: id, url, secretEncrypted });
      const { provider, businessProfileId, isTrustedAuthenticationEnabled } = row;
      const details = {
        name,
        redirect_uris: redirectUris,
        provider,
        customers_url: customersUrl,
        webhook_url: url,
        trusted_authentication: isTrustedAuthenticationEnabled,
        business_profile_id: businessProfileId,
      };
      return { kind: "applied", details, secrets };
    });
  return inCell(await chooseCell(id), create);
}

import { type CustomerProbe, customerProbes } from "../../contract/sandbox-checks.ts";
import { newId } from "../../kit/ids.ts";
import { decryptText, newSecret } from "../../kit/secrets.ts";
import { timed } from "../../kit/timed.ts";
import type { TraceId } from "../../kit/trace.ts";
import { serviceConfig } from "../config.ts";
import type { Client } from "../operations/tokens/authenticate.ts";
import { customerUrl, fetchCustomer } from "../outbound/fetch-customer.ts";
import { providers } from "../providers.ts";
import { customerEndpointSecretContext } from "../storage/clients.ts";
import { database } from "../storage/database.ts";
import { findNewestVerifiedCustomer } from "../storage/identity-verification-tokens.ts";

/** The status of a probe's response; null without a response. */
export type ProbeAnswer = { probe: CustomerProbe; status: number | null };

/**
 * Requests an unknown customer, and a known one both without the secret and with a wrong one. Undefined without an endpoint or
 * a customer. Decision D21
 */
export async function probeCustomerEndpoint(
  client: Client,
  { customerId, traceId }: { customerId: string | undefined; traceId: TraceId },
): Promise<ProbeAnswer[] | undefined> {
  const { customersUrl, customerEndpointSecretEncrypted: encrypted } = client;
  const known = customerId ?? (await findNewestVerifiedCustomer(database(), client.id));
  if (customersUrl === null || encrypted === null || known === undefined) return undefined;
  const secret = await decryptText(encrypted, customerEndpointSecretContext(client.id), serviceConfig().keyring);
  const lookup = {
    unknown_customer: { customerId: newId(), customerEndpointSecret: secret },
    no_credentials: { customerId: known, customerEndpointSecret: null },
    wrong_credentials: { customerId: known, customerEndpointSecret: newSecret("gwe_") },
  };
  return Promise.all(
    customerProbes.map(async (probe) => {
      const question = { customersUrl, traceId, ...lookup[probe] };
      const { result, durationMs } = await timed(() => fetchCustomer(question));
      const { status, ...answer } = result;
      if (answer.kind === "not_asked") return { probe, status };
      providers().watch?.({
        kind: "customer",
        clientId: client.id,
        traceId,
        durationMs,
        url: customerUrl(customersUrl, question.customerId),
        status,
        // A response to wrong credentials is never stored.
        body: undefined,
        problems: answer.kind === "failed" ? [answer.cause] : [],
        customerId: question.customerId,
        probe,
        userIntentId: null,
        userId: null,
      });
      return { probe, status };
    }),
  );
}

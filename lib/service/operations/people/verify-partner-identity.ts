import {
  type CustomerRecord,
  type IdentityVerificationRequest,
  isSamePhone,
} from "../../../contract/identity-verification.ts";
import { decryptText, newSecret, sha256 } from "../../../kit/secrets.ts";
import { timed } from "../../../kit/timed.ts";
import type { TraceId } from "../../../kit/trace.ts";
import { serviceConfig } from "../../config.ts";
import { type CustomerAnswer, customerUrl, fetchCustomer } from "../../outbound/fetch-customer.ts";
import { providers } from "../../providers.ts";
import { type Client, customerEndpointSecretContext } from "../../storage/clients.ts";
import { database } from "../../storage/database.ts";
import { insertIdentityVerificationToken } from "../../storage/identity-verification-tokens.ts";
import { findUser, findUserIntent } from "../../storage/people.ts";
import type { VisitPerson } from "../../storage/visits.ts";

/** `cause` is for the log. */
export type IdentityVerification =
  | { kind: "verified"; token: string; expiresAt: Date; isTrusted: boolean }
  | { kind: "not_found" }
  | { kind: "wrong_provider" }
  | { kind: "customer_endpoint_failed"; cause: string; wrongFields: string[] }
  | { kind: "customer_mismatch" | "unavailable"; cause: string };

/**
 * Verifies a person at the client's customer endpoint and mints a session token, valid once and for one minute. If the
 * login is too old or in the future, the token is untrusted. Decision D11
 */
export async function verifyPartnerIdentity(
  request: IdentityVerificationRequest,
  { client, traceId }: { client: Client; traceId: TraceId },
): Promise<IdentityVerification> {
  const { customer_id: customerId } = request.provider_data;
  const person = {
    userIntentId: request.user_intent_id?.toLowerCase() ?? null,
    userId: request.user_id?.toLowerCase() ?? null,
  };
  const phone = await findPhone(client.id, person);
  if (phone === undefined) return { kind: "not_found" };
  if (request.provider !== client.provider) return { kind: "wrong_provider" };

  const answer =
    (await standIn(client, { customerId, phone })) ??
    (await fetchAndRecordCustomer(client, { customerId, phone, person, traceId }));
  if (answer.kind !== "customer") return answer;
  const { customer } = answer;

  const token = newSecret("gwi_");
  const minted = await insertIdentityVerificationToken(database(), {
    tokenHash: sha256(token),
    clientId: client.id,
    ...person,
    customerId,
    lastAuthenticationAt: new Date(customer.lastAuthenticationTime),
    traceId,
  });
  return { kind: "verified", token, ...minted };
}

type Refusal = Extract<IdentityVerification, { cause: string }>;
type KnownCustomer = { kind: "customer"; customer: CustomerRecord };

async function standIn(
  { id: clientId, customersUrl }: Client,
  lookup: { customerId: string; phone: string },
): Promise<KnownCustomer | undefined> {
  if (customersUrl !== null) return undefined;
  const customer = await providers().standInForCustomer?.({ clientId, ...lookup });
  return customer && { kind: "customer", customer };
}

type Question = { customerId: string; phone: string; person: VisitPerson; traceId: TraceId };

async function fetchAndRecordCustomer(
  client: Client,
  { customerId, phone, person, traceId }: Question,
): Promise<KnownCustomer | Refusal> {
  const { result: answer, durationMs } = await timed(() => callCustomerEndpoint(client, customerId, traceId));
  if (answer.kind === "not_asked") return { kind: "unavailable", cause: answer.cause };
  const mismatch = answer.kind === "customer" ? findMismatch(answer.customer, { customerId, phone }) : undefined;
  providers().watch?.({
    kind: "customer",
    clientId: client.id,
    traceId,
    durationMs,
    url: client.customersUrl && customerUrl(client.customersUrl, customerId),
    status: answer.status,
    body: answer.body,
    problems: problemsOf(answer, mismatch?.cause),
    customerId,
    probe: null,
    ...person,
  });
  if (answer.kind === "failed") {
    return { kind: "customer_endpoint_failed", cause: answer.cause, wrongFields: answer.wrongFields };
  }
  return mismatch ?? { kind: "customer", customer: answer.customer };
}

function findMismatch(
  customer: CustomerRecord,
  { customerId, phone }: { customerId: string; phone: string },
): { kind: "customer_mismatch"; cause: string } | undefined {
  if (customer.customer_id !== customerId) return { kind: "customer_mismatch", cause: "customer_id_differs" };
  if (!isSamePhone(customer.phone, phone)) return { kind: "customer_mismatch", cause: "phone_differs" };
  return undefined;
}

// The cause and the names of invalid fields, never their values.
function problemsOf(answer: CustomerAnswer, mismatch: string | undefined): string[] {
  const cause = answer.kind === "failed" ? answer.cause : mismatch;
  return [...(cause ? [cause] : []), ...answer.wrongFields];
}

async function findPhone(clientId: string, { userIntentId, userId }: VisitPerson): Promise<string | undefined> {
  if (userId !== null) return (await findUser(database(), { id: userId, clientId }))?.phone;
  // Conversion keeps the phone, so the intent and its user share it.
  const found = userIntentId && (await findUserIntent(database(), { id: userIntentId, clientId }));
  return found ? found.intent.phone : undefined;
}

async function callCustomerEndpoint(client: Client, customerId: string, traceId: TraceId): Promise<CustomerAnswer> {
  const { customersUrl, customerEndpointSecretEncrypted: encrypted } = client;
  if (customersUrl === null || encrypted === null) {
    return { kind: "failed", cause: "customers_url_missing", status: null, body: undefined, wrongFields: [] };
  }
  const { keyring } = serviceConfig();
  const customerEndpointSecret = await decryptText(encrypted, customerEndpointSecretContext(client.id), keyring);
  return fetchCustomer({ customersUrl, customerId, customerEndpointSecret, traceId });
}

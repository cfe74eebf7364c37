import type { CustomerRecord } from "../../contract/identity-verification.ts";
import { isId } from "../../kit/ids.ts";
import { log } from "../../kit/log.ts";
import { isInNetworks } from "../../kit/networks.ts";
import { isSameSecret } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { findPersonById } from "../storage/people.ts";

const noStore = { "cache-control": "no-store" };

/** The caller's `authorization` header, with its socket address and other headers if known. */
export type CustomerRequest = { authorization: string | null; address?: string | undefined; headers?: Headers };

type CustomerAnswer = { status: number; body: object; headers?: Record<string, string>; why?: string };

/**
 * Answers `GET /v1/customers/{customer_id}`. Only the service may call it: with the shared secret, or from one of its
 * addresses. The customer's id is the person's id.
 */
export async function answerCustomerRequest(
  partner: Partner,
  request: CustomerRequest,
  customerId: string,
): Promise<Response> {
  const startedAt = partner.clock();
  const { status, body, headers, why } = await answer(partner, request, customerId);
  partner.observe.answer({ customerId, headers: request.headers ?? new Headers(), status, body, why, startedAt });
  return Response.json(body, { status, headers: { ...noStore, ...headers } });
}

async function answer(partner: Partner, request: CustomerRequest, customerId: string): Promise<CustomerAnswer> {
  if (!isFromService(partner, request)) {
    log().warn({ address: request.address, hasCredential: request.authorization !== null }, refusal);
    const headers = { "www-authenticate": "Bearer" };
    return { status: 401, body: { reason: "invalid_token" }, headers, why: refusal };
  }
  const customer = await findCustomer(partner, customerId);
  return customer ? { status: 200, body: customer } : { status: 404, body: { reason: "not_found" } };
}

const refusal =
  "the customer endpoint was called without its secret: if the service made the call, configure PARTNER_CUSTOMER_ENDPOINT_SECRET there, or add its address to PARTNER_CUSTOMER_ENDPOINT_ADDRESSES";

// How the service authenticates here is not published (Decision D18).
function isFromService(partner: Partner, { authorization, address }: CustomerRequest): boolean {
  const { customerEndpointSecrets, customerEndpointAddresses } = partner.config;
  if (address !== undefined && isInNetworks(address, customerEndpointAddresses)) return true;
  const [, token] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
  return token !== undefined && customerEndpointSecrets.some((secret) => isSameSecret(token, secret));
}

async function findCustomer(partner: Partner, customerId: string): Promise<CustomerRecord | undefined> {
  const person = isId(customerId) ? await findPersonById(partner.db, customerId) : undefined;
  return (
    person && {
      customer_id: person.id,
      first_name: person.firstName,
      last_name: person.lastName,
      phone: person.phone,
      lastAuthenticationTime: person.lastAuthenticationAt.toISOString(),
    }
  );
}

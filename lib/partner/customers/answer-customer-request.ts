import type { CustomerRecord } from "../../contract/customer.ts";
import { isSameSecret } from "../../kit/secrets.ts";
import { partnerConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import { findPersonById } from "../storage/people.ts";

const noStore = { "cache-control": "no-store" };

/**
 * `GET /v1/customers/{customer_id}`, called by the service alone: 200 with the published customer record, 401 without the
 * secret that both sides share, 404 for somebody unknown. A customer's id is the person's.
 */
export async function answerCustomerRequest(authorization: string | null, customerId: string): Promise<Response> {
  if (!isOfTheService(authorization)) {
    return Response.json(
      { reason: "invalid_token" },
      { status: 401, headers: { ...noStore, "www-authenticate": "Bearer" } },
    );
  }
  const customer = await findCustomer(customerId);
  if (!customer) return Response.json({ reason: "not_found" }, { status: 404, headers: noStore });
  return Response.json(customer, { headers: noStore });
}

function isOfTheService(authorization: string | null): boolean {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
  return token !== undefined && isSameSecret(token, partnerConfig().customerEndpointSecret);
}

async function findCustomer(customerId: string): Promise<CustomerRecord | undefined> {
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(customerId);
  const person = isUuid ? await findPersonById(database(), customerId) : undefined;
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

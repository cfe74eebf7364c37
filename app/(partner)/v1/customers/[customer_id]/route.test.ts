import { expect, test } from "vitest";
import { customerRecord } from "#lib/contract/identity-verification.ts";
import { newId } from "#lib/kit/ids.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { createPerson } from "#lib/partner/testing/people.ts";
import { GET } from "./route.ts";

function readCustomer(customerId: string, authorization: string): Promise<Response> {
  const address = `${partner().config.baseUrl}/v1/customers/${customerId}`;
  const request = new Request(address, { headers: { authorization } });
  return GET(request, { params: Promise.resolve({ customer_id: customerId }) });
}

test("200: returns the customer in the path; 401 with a wrong secret; 404 for an unknown customer", async () => {
  const [person] = [await createPerson(), await createPerson()];
  const bearer = `Bearer ${partner().config.customerEndpointSecrets[0]}`;
  const answer = await readCustomer(person.id, bearer);
  expect(answer.status).toBe(200);
  expect(customerRecord.parse(await answer.json())).toMatchObject({ customer_id: person.id, phone: person.phone });
  expect((await readCustomer(person.id, "Bearer another-secret")).status).toBe(401);
  expect((await readCustomer(newId(), bearer)).status).toBe(404);
});

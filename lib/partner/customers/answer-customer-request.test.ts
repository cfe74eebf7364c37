import { describe, expect, test } from "vitest";
import { customerRecord } from "../../contract/customer.ts";
import { newId } from "../../kit/ids.ts";
import { partnerConfig } from "../config.ts";
import { createPerson } from "../testing/people.ts";
import { answerCustomerRequest } from "./answer-customer-request.ts";

const bearer = () => `Bearer ${partnerConfig().customerEndpointSecret}`;

describe("GET /v1/customers/{customer_id}", () => {
  test("200: the published record, the time with milliseconds in UTC", async () => {
    const person = await createPerson();
    const response = await answerCustomerRequest(bearer(), person.id);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const body = await response.json();
    expect(body).toEqual({
      customer_id: person.id,
      first_name: "Marta",
      last_name: "Quay",
      phone: person.phone,
      lastAuthenticationTime: person.lastAuthenticationAt.toISOString(),
    });
    expect(body.lastAuthenticationTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(customerRecord.safeParse(body).success).toBe(true);
  });

  test("200: the scheme in any case", async () => {
    const person = await createPerson();
    const response = await answerCustomerRequest(bearer().replace("Bearer", "bearer"), person.id);
    expect(response.status).toBe(200);
  });

  test.each([
    ["nothing", () => null],
    ["another secret", () => "Bearer another-secret"],
    ["the secret with more behind it", () => `${bearer()}x`],
    ["the secret alone", () => partnerConfig().customerEndpointSecret],
    ["another scheme", () => bearer().replace("Bearer", "Basic")],
    ["an empty secret", () => "Bearer "],
  ])("401: with %s, whether or not the customer exists", async (_what, authorization) => {
    const person = await createPerson();
    const known = await answerCustomerRequest(authorization(), person.id);
    const unknown = await answerCustomerRequest(authorization(), newId());
    expect([known.status, unknown.status]).toEqual([401, 401]);
    expect(known.headers.get("www-authenticate")).toBe("Bearer");
    expect(await known.text()).toBe(await unknown.text());
  });

  test.each([newId(), "..", "not-an-id", "' or true --", ""])("404: for somebody unknown, %j", async (customerId) => {
    expect((await answerCustomerRequest(bearer(), customerId)).status).toBe(404);
  });
});

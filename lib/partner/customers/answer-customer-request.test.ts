import { afterEach, describe, expect, test } from "vitest";
import { customerRecord } from "../../contract/identity-verification.ts";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { partnerWith } from "../testing/partner-with.ts";
import { createPerson } from "../testing/people.ts";
import { answerCustomerRequest } from "./answer-customer-request.ts";

const bearer = () => `Bearer ${partner().config.customerEndpointSecrets[0]}`;

describe("GET /v1/customers/{customer_id}", () => {
  test("200: the published record, the time with milliseconds in UTC", async () => {
    const person = await createPerson();
    const response = await answerCustomerRequest(partner(), { authorization: bearer() }, person.id);
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
    const response = await answerCustomerRequest(
      partner(),
      { authorization: bearer().replace("Bearer", "bearer") },
      person.id,
    );
    expect(response.status).toBe(200);
  });

  test("200: the old and the new secret during a rotation, and no other part of the setting", async () => {
    const [old, next] = ["gwe_the-old-secret", "gwe_the-new-secret"];
    const rotating = partnerWith({ PARTNER_CUSTOMER_ENDPOINT_SECRET: `${old}, ${next},` });
    const person = await createPerson();
    const statusWith = async (secret: string) =>
      (await answerCustomerRequest(rotating, { authorization: `Bearer ${secret}` }, person.id)).status;
    expect(await Promise.all([old, next].map(statusWith))).toEqual([200, 200]);
    expect(await Promise.all([",", `${old},`, `${old},${next}`].map(statusWith))).toEqual([401, 401, 401]);
  });

  test.each([
    ["nothing", () => null],
    ["another secret", () => "Bearer another-secret"],
    ["the secret with more behind it", () => `${bearer()}x`],
    ["the secret alone", () => String(partner().config.customerEndpointSecrets[0])],
    ["another scheme", () => bearer().replace("Bearer", "Basic")],
    ["an empty secret", () => "Bearer "],
  ])("401: with %s, whether or not the customer exists", async (_what, authorization) => {
    const person = await createPerson();
    const known = await answerCustomerRequest(
      partner(),
      { authorization: authorization(), address: "192.0.2.7" },
      person.id,
    );
    const unknown = await answerCustomerRequest(
      partner(),
      { authorization: authorization(), address: "192.0.2.7" },
      newId(),
    );
    expect([known.status, unknown.status]).toEqual([401, 401]);
    expect(known.headers.get("www-authenticate")).toBe("Bearer");
    expect(await known.text()).toBe(await unknown.text());
  });

  test.each([newId(), "..", "not-an-id", "' or true --", ""])(
    "404: for an unknown customer, %j",
    async (customerId) => {
      expect((await answerCustomerRequest(partner(), { authorization: bearer() }, customerId)).status).toBe(404);
    },
  );

  describe("with addresses of the service set", () => {
    afterEach(() => void partnerWith());

    /** Sends a request from this address to a Harbor with an address allowlist. */
    async function askFrom(address: string | undefined, authorization: string | null = null): Promise<number> {
      const person = await createPerson();
      const partner = partnerWith({ PARTNER_CUSTOMER_ENDPOINT_ADDRESSES: "192.0.2.7, 2001:db8::/32" });
      return (await answerCustomerRequest(partner, { authorization, address }, person.id)).status;
    }

    test("200: without a credential, from one of them", async () => {
      expect(await askFrom("192.0.2.7")).toBe(200);
      expect(await askFrom("::ffff:192.0.2.7")).toBe(200);
      expect(await askFrom("2001:db8::1")).toBe(200);
    });

    test("401: without a credential, from anywhere else", async () => {
      expect(await askFrom("192.0.2.8")).toBe(401);
      expect(await askFrom("127.0.0.1")).toBe(401);
      expect(await askFrom(undefined)).toBe(401);
    });

    test("200: with the secret, from anywhere", async () => {
      expect(await askFrom("192.0.2.8", bearer())).toBe(200);
    });
  });
});

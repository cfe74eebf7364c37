import { expect, test } from "vitest";
import { userIntentFields } from "#lib/contract/people.ts";
import { registrationFields } from "#lib/partner/people/sign-in-fields.ts";
import { screenIdentity, settlementOf } from "#lib/service/sandbox/providers.ts";
import { amountFor, paymentOutcomes, screeningOutcomes, ssnFor } from "./outcomes.ts";
import { newTestPerson } from "./test-person.ts";

const people = Array.from({ length: 300 }, newTestPerson);

test("a made-up person passes the sign-up and onboarding forms", () => {
  for (const { firstName, lastName, email, phone, password, dateOfBirth, ssn, address1, ...address } of people) {
    const registration = { first_name: firstName, last_name: lastName, email, phone, password };
    expect(registrationFields.safeParse(registration).error?.issues).toBeUndefined();
    const { city, state, postalCode } = address;
    const { date_of_birth, ssn: ssnField, address1: line, city: town, state: code, postal_code } = userIntentFields;
    const { month, day, year } = dateOfBirth;
    expect(date_of_birth.safeParse(`${year}-${month}-${day}`).success).toBe(true);
    expect([ssnField.safeParse(ssn), line.safeParse(address1), town.safeParse(city)].every((it) => it.success)).toBe(
      true,
    );
    expect(code.safeParse(state).success && postal_code.safeParse(postalCode).success).toBe(true);
  }
});

test("made-up people have distinct email addresses", () => {
  expect(new Set(people.map(({ email }) => email)).size).toBeGreaterThan(297);
});

test("each screening outcome matches the sandbox's decision, and an ordinary SSN is approved", async () => {
  const statuses: Record<string, string | undefined> = {};
  for (const { value } of screeningOutcomes) {
    statuses[value] = (await screenIdentity({ ssn: ssnFor("519012345", value) }))?.status;
  }
  expect(statuses).toEqual({
    approved: "approved",
    rejected: "rejected",
    waits: undefined,
    retry: "retry",
    document: "document",
  });
  for (const { ssn } of people) expect((await screenIdentity({ ssn }))?.status, ssn).toBe("approved");
});

test("each payment outcome matches the sandbox's settlement", () => {
  const settled = paymentOutcomes.map(({ value }) => [
    value,
    settlementOf(Math.round(Number(amountFor("125", value)) * 100)),
  ]);
  expect(Object.fromEntries(settled)).toEqual({ paid: "processed", fails: "account_closed", waits: "by_hand" });
});

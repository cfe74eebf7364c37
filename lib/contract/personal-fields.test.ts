import { expect, test } from "vitest";
import { personalFieldNames } from "./personal-fields.ts";

test("what a log line must not hold of a person, by both kinds of names", () => {
  const names = ["ssn", "date_of_birth", "address1", "address2", "postal_code", "ip_address", "phone", "email"];
  expect(personalFieldNames).toEqual(expect.arrayContaining([...names, "dateOfBirth", "postalCode", "ipAddress"]));
});

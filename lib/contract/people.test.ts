import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import people from "./examples/people.json" with { type: "json" };
import { createUserIntentRequest, isAgeAllowed, personalFieldNames } from "./people.ts";

const required = [
  "first_name",
  "last_name",
  "date_of_birth",
  "ssn",
  "phone",
  "email",
  "address1",
  "city",
  "state",
  "postal_code",
  "ip_address",
];

function problemFields(change: Record<string, unknown>): string[] {
  const result = createUserIntentRequest.safeParse({ ...people.UserIntentCreation, ...change });
  return result.success
    ? []
    : result.error.issues.map(({ path, code, ...issue }) =>
        code === "unrecognized_keys" && "keys" in issue ? issue.keys.join() : path.join("."),
      );
}

describe("a user intent", () => {
  test("the example is accepted", () => expect(problemFields({})).toEqual([]));

  test.each(required)("without %s is refused, naming it", (field) => {
    expect(problemFields({ [field]: undefined })).toEqual([field]);
  });

  test.each([
    ["first_name", "a", "a".repeat(100), "", "a".repeat(101)],
    ["last_name", "李", "ก".repeat(100), "   ", "line\nbreak"],
    ["first_name", "\u05e9\u05dc\u05d5\u05dd", "Zo\u00eb\u200d", "Ada\u202egnp.exe", "\u2066Ada\u2069"],
    ["last_name", "Lovelace", "O\u2019Malley", "\u2066Ada", "Ada\u2069"],
    ["city", "\u0627\u0644\u0642\u0627\u0647\u0631\u0629", "\u200fHaifa", "\u202aHaifa", "Haifa\u2068"],
    ["ssn", "123456789", "6789", "123-45-6789", "12345"],
    ["ssn", "001010001", "899999999", "000123456", "666123456"],
    ["ssn", "665010001", "0001", "900123456", "123006789"],
    ["ssn", "667010001", "9999", "123450000", "0000"],
    ["phone", "+12025550123", "+19995550123", "12025550123", "+442071234567"],
    ["phone", "+12005550123", "+19075550123", "+33123456789", "+11025550123"],
    ["email", "a@b", "marta.quay+1@example.com", "marta@", `${"a".repeat(250)}@b.co`],
    ["state", "CA", "PR", "ca", "XX"],
    ["postal_code", "00501", "99950", "9410", "94107-1234"],
    ["ip_address", "203.0.113.7", "2001:db8::1", "203.0.113", "localhost"],
    ["date_of_birth", "1990-01-31", "1996-02-29", "1990-02-30", "31.01.1990"],
  ])("%s accepts %j and %j, refuses %j and %j", (field, good, alsoGood, bad, alsoBad) => {
    expect(problemFields({ [field]: good })).toEqual([]);
    expect(problemFields({ [field]: alsoGood })).toEqual([]);
    expect(problemFields({ [field]: bad })).toEqual([field]);
    expect(problemFields({ [field]: alsoBad })).toEqual([field]);
  });

  test("an unknown field is refused, naming it", () => {
    expect(problemFields({ adress2: "x" })).toEqual(["adress2"]);
  });

  test("metadata that contains the person's own ssn is refused", () => {
    expect(problemFields({ ssn: "123456789", metadata: { note: "id 123456789" } })).toEqual(["metadata"]);
    expect(problemFields({ ssn: "123456789", metadata: { "id-123456789": "note" } })).toEqual(["metadata"]);
    expect(problemFields({ ssn: "123456789", metadata: { note: "id 587654321" } })).toEqual([]);
  });
});

describe("the date of birth of a user intent created today", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date("2026-06-15T12:00:00Z"), toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ["18 years ago", "2008-06-15", []],
    ["a day less than 18 years ago", "2008-06-16", ["date_of_birth"]],
    ["120 years ago", "1906-06-15", []],
    ["121 years ago", "1905-06-15", ["date_of_birth"]],
    ["tomorrow", "2026-06-16", ["date_of_birth"]],
  ])("%s", (_when, date_of_birth, problems) => {
    expect(problemFields({ date_of_birth })).toEqual(problems);
  });
});

describe("age", () => {
  const today = new Date("2026-06-15T12:00:00Z");
  test.each([
    ["2008-06-15", true],
    ["2008-06-16", false],
    ["1905-06-16", true],
    ["1905-06-15", false],
  ])("born on %s: allowed is %s", (dateOfBirth, isAllowed) => {
    expect(isAgeAllowed(dateOfBirth, today)).toBe(isAllowed);
  });
});

test("hides the personal fields in logs, by wire and code name", () => {
  const names = ["ssn", "date_of_birth", "address1", "address2", "postal_code", "ip_address", "phone", "email"];
  expect(personalFieldNames).toEqual(expect.arrayContaining([...names, "dateOfBirth", "postalCode", "ipAddress"]));
});

import { expect, test } from "vitest";
import { formatSsn, ssnDigits } from "./us-ssn.ts";

test.each([
  ["", ""],
  ["6789", "6789"],
  ["12345", "123-45"],
  ["1234567", "123-45-67"],
  ["123456789", "123-45-6789"],
  ["123 45 6789", "123-45-6789"],
  ["123\u201145\u20116789", "123-45-6789"],
  ["123-4", "1234"],
  ["1234567890", "1234567890"],
  ["xxx-xx-6789", "xxx-xx-6789"],
])("the number %j is written as %j", (typed, expected) => {
  expect(formatSsn(typed)).toBe(expected);
});

test.each(["123-45-6789", "123 45 6789", "123\u201145\u20136789", "\u202a123456789\u202c"])(
  "%j has nine digits",
  (typed) => {
    expect(ssnDigits(typed)).toBe("123456789");
  },
);

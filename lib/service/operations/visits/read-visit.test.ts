import { expect, test } from "vitest";
import { maskEmail, maskPhone } from "./read-visit.ts";

test("shows only the last four digits of a phone", () => {
  expect(maskPhone("+12025550123")).toBe("••• ••• 0123");
});

test.each([
  ["ada@example.com", "a•••@example.com"],
  ["a@example.com", "a•••@example.com"],
  ["🦉owl@example.com", "🦉•••@example.com"],
  ["@example.com", "•••@example.com"],
])("shows the first letter and the domain of %s", (email, masked) => {
  expect(maskEmail(email)).toBe(masked);
});

import { expect, test } from "vitest";
import { ownPath } from "./form-fields.ts";

test.each([
  ["/dashboard", "/dashboard"],
  ["/routines?status=active&after=1", "/routines?status=active&after=1"],
  ["/routines/../business", "/business"],
])("goes to our own page: %s", (path, expected) => {
  expect(ownPath(path, "/")).toBe(expected);
});

test.each([
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/.//evil.example",
  "/x/..//evil.example",
  "/%2e%2e//evil.example",
  "/..\\\\evil.example",
  "https://evil.example/dashboard",
  "javascript:alert(1)",
  "dashboard",
  "",
  null,
  undefined,
])("never leaves our origin: %j", (path) => {
  expect(ownPath(path, "/dashboard")).toBe("/dashboard");
});

test.each([
  [
    `/routines/new?name=${encodeURIComponent("🦞".repeat(100))}`,
    `/routines/new?name=${encodeURIComponent("🦞".repeat(100))}`,
  ],
  [`/routines/new?name=${"x".repeat(9000)}`, "/routines/new"],
  [`/routines/new?name=${"🦞".repeat(200)}`, "/routines/new"],
  [`/dashboard/payments/${"x".repeat(9000)}`, "/dashboard"],
])("keeps only what a cookie can hold: %.40s", (path, expected) => {
  expect(ownPath(path, "/dashboard")).toBe(expected);
});

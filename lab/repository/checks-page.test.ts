import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writeChecksPage } from "./checks-page.ts";

test("docs/checks.md is up to date", () => {
  expect(readFileSync("docs/checks.md", "utf8")).toBe(writeChecksPage());
});

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The service's name is a setting of Harbor, so none of its texts contain it.
const sources = globSync("{app/(partner),components/partner,lib/partner}/**/*.{ts,tsx,css,sql}");

test("no Harbor file hardcodes the service's name", () => {
  expect(sources.length).toBeGreaterThan(150);
  expect(sources.filter((file) => /plainbook/i.test(readFileSync(file, "utf8")))).toEqual([]);
});

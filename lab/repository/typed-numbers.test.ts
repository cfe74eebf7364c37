import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findTypedNumbers } from "./typed-numbers.ts";

// Each number that is a rule stands once, as a constant (lib/contract/limits.ts), and sentences are made of it.

// What another standard fixes, and no rule of ours.
const standard = new Set([
  "code_challenge must be 43 characters of base64url.",
  "must be id:base64 pairs of 32 bytes each, separated by commas",
]);

test("no sentence repeats a number with its unit, and no schema of the contract has a number of its own", () => {
  const files = globSync("{app,components,lib,server}/**/*.{ts,tsx}").filter(
    (file) => !/\.test\.tsx?$|\/testing\/|\/examples\//.test(file),
  );
  const typed = files.flatMap((file) =>
    findTypedNumbers(readFileSync(file, "utf8"), { isSchema: file.startsWith("lib/contract/") })
      .filter((text) => !standard.has(text))
      .map((text) => `${file}: ${text}`),
  );
  expect(files.length).toBeGreaterThan(400);
  expect(typed).toEqual([]);
});

test.each([
  ['const a = "Kept for 72 hours at least.";', "Kept for 72 hours at least."],
  [`const a = \`A \${name} has at most 64 KiB.\`;`, `\`A \${name} has at most 64 KiB.\``],
  ["const a = <p>The newest 1,000 entries</p>;", "The newest 1,000 entries"],
  ["const a = z.string().check(z.maxLength(2000, tooLong));", "z.maxLength(2000, tooLong)"],
  ["const a = text(100);", "text(100)"],
])("finds %s", (source, found) => {
  expect(findTypedNumbers(source, { isSchema: true })).toContain(found);
});

test.each([
  `const a = \`Kept for \${limits.idempotencyKeyHoursMin} hours.\`;`,
  "const a = text(limits.nameCharactersMax).check(z.minLength(1));",
  "const a = sql`interval '30 days'`;",
  "// Up to 64 KiB.\nconst a = 64 * 1024;",
  'const a = "RFC 6749 section 5.1";',
])("finds nothing in %s", (source) => {
  expect(findTypedNumbers(source, { isSchema: true })).toEqual([]);
});

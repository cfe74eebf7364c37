import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findExportsWithoutDocstring } from "./docstrings.ts";

test("every export of lib has a docstring", () => {
  const files = globSync("lib/**/*.ts").filter((file) => !/\.test\.ts$|\/testing\//.test(file));
  const without = files.flatMap((file) =>
    findExportsWithoutDocstring(readFileSync(file, "utf8")).map((name) => `${file}: ${name}`),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(without.sort()).toEqual([]);
});

test.each([
  ["a function", "export function one() {}"],
  ["a function with an ordinary comment", "// Not this.\nexport async function one() {}"],
  ["a value", "export const one = 1;"],
  ["a type", "export type one = { kind: string };"],
  ["an interface", "export interface one { kind: string }"],
])("%s without a docstring is found", (_what, text) => {
  expect(findExportsWithoutDocstring(text)).toEqual(["one"]);
  expect(findExportsWithoutDocstring(`/** What it gives. */\n${text}`)).toEqual([]);
});

test("what is not exported, and a type inferred from what has a docstring, need none", () => {
  const schema = "/** A body. */\nexport const one = z.object({});\nexport type One = z.infer<typeof one>;\n";
  const list = '/** The kinds. */\nexport const kinds = ["a"] as const;\nexport type Kind = (typeof kinds)[number];\n';
  expect(findExportsWithoutDocstring(`${schema}${list}function inner() {}\n`)).toEqual([]);
});

import { expect, test } from "vitest";
import { asReplacement, faultsOf, importsOf, randomFrom, testsReaching } from "./random-faults.ts";

const faultyTexts = (source: string) =>
  faultsOf("a.ts", source).map(({ kind, start, end, text }) => [
    kind,
    source.slice(0, start) + text + source.slice(end),
  ]);

test.each([
  ["const a = b < 3;", ["operator", "const a = b <= 3;"]],
  ["const a = b && c;", ["operator", "const a = b || c;"]],
  ["const a = b ?? c;", ["default dropped", "const a = b;"]],
  ["const a = !b;", ["negation dropped", "const a = b;"]],
  ["if (a) b();", ["branch dropped", "if (false) b();"]],
  ["if (a) b();", ["condition dropped", "if (true) b();"]],
  ["await save(a);", ["await dropped", "void save(a);"]],
  ["await save(a);", ["statement dropped", ";"]],
  ["throw error;", ["statement dropped", ";"]],
  ["const limit = 60;", ["number", "const limit = 120;"]],
  ["const limit = 0;", ["number", "const limit = 1;"]],
  ["const a = { ...b, c };", ["property dropped", "const a = { ...{}, c };"]],
  ["q(`select a from b where c = 1 and d = e`);", ["SQL: condition dropped", "q(`select a from b where c = 1 `);"]],
  ["q(`select a from b where c for update skip locked`);", ["SQL: lock dropped", "q(`select a from b where c `);"]],
  ["q(`select a from b where c <= now()`);", ["SQL: comparison", "q(`select a from b where c = now()`);"]],
  ["q(`select a from b order by c desc`);", ["SQL: order", "q(`select a from b order by c asc`);"]],
])("%s has the fault %j", (source, fault) => {
  expect(faultyTexts(source)).toContainEqual(fault);
});

test("types, imports and prose have no faults", () => {
  expect(faultyTexts('import a from "./b 1.ts";\ntype Limit = 3 | 4;\nsay("Select one, and update it.");')).toEqual([
    ["statement dropped", 'import a from "./b 1.ts";\ntype Limit = 3 | 4;\n;'],
  ]);
});

test("a fault is planted at its position, even if its text occurs elsewhere", () => {
  const source = "if (a < b) c(1);\nif (a < b) c(2);\n";
  const second = faultsOf("a.ts", source).findLast(({ kind }) => kind === "operator");
  const { find, replace } = asReplacement(source, second ?? { kind: "", start: 0, end: 0, text: "" });
  expect(source.replace(find, replace)).toBe("if (a < b) c(1);\nif (a <= b) c(2);\n");
});

test("a seed repeats its numbers, and different seeds differ", () => {
  const drawn = (seed: number) => Array.from({ length: 3 }, randomFrom(seed));
  expect(drawn(7)).toEqual(drawn(7));
  expect(drawn(8)).not.toEqual(drawn(7));
  expect(drawn(7).every((number) => number >= 0 && number < 1)).toBe(true);
});

test("the nearest tests that load a file come first, those in its folder before others", () => {
  const importers = new Map([
    ["lib/a/b.ts", new Set(["lib/c.test.ts", "lib/a/b.test.ts", "lib/d.ts"])],
    ["lib/d.ts", new Set(["lib/a/d.test.ts", "lib/a/b.ts"])],
  ]);
  expect(testsReaching("lib/a/b.ts", importers)).toEqual(["lib/a/b.test.ts", "lib/c.test.ts", "lib/a/d.test.ts"]);
  expect(importsOf("lib/a/b.test.ts", 'import { b } from "./b.ts";\nimport "#lib/c.ts";\nimport "vitest";')).toEqual([
    "lib/a/b.ts",
    "lib/c.ts",
  ]);
});

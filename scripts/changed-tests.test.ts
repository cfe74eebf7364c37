import { expect, test } from "vitest";
import { testsOf } from "./changed-tests.ts";

const tests = ["lib/a/sweep-months.test.ts", "lib/a/sweep.test.ts", "lib/a/set.race.test.ts", "lib/b/set.test.ts"];

test.each([
  [["lib/a/sweep.ts"], ["lib/a/sweep-months.test.ts", "lib/a/sweep.test.ts"]],
  [["lib/a/set.race.test.ts", "lib/a/set.ts"], ["lib/a/set.race.test.ts"]],
  [["lib/b/untested.tsx"], ["lib/b/set.test.ts"]],
  [["README.md", "lib/c/new.ts"], []],
])("the tests of %j are %j", (changed, expected) => {
  expect(testsOf(changed, tests)).toEqual(expected);
});

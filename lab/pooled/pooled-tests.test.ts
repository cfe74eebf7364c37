import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { listPooledTests, notPooled } from "./pooled-tests.ts";

test("request and payment tests run behind a pooler, except incompatible ones", () => {
  const all = globSync("lib/{service/http/api,service/http/frame,service/operations/money,partner}/**/*.test.ts");
  const leftOut = all.filter((file) => notPooled.test(file)).map((file) => file.split("/").at(-1));
  expect(leftOut.sort()).toEqual(["reconcile-long.test.ts", "unknown-outcome.race.test.ts"]);
  const chosen = [...listPooledTests("service"), ...listPooledTests("partner")];
  expect(chosen.length).toBe(all.length - leftOut.length);
  expect(chosen.filter((file) => notPooled.test(file))).toEqual([]);
});

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allRules } from "../checks/all-rules.ts";
import { allDrills } from "./all-drills.ts";

const ruleIds = new Set(allRules.map(({ id }) => id));
const clauses: Record<string, unknown> = JSON.parse(readFileSync("lab/clauses/clauses.json", "utf8"));

describe.each(allDrills.map((drill) => ({ id: drill.id, drill })))("the drill $id", ({ drill }) => {
  test("names rules and clauses that exist", () => {
    expect(drill.expect.filter((id) => !ruleIds.has(id))).toEqual([]);
    expect(drill.expect).not.toEqual([]);
    expect(drill.clauses.filter((id) => !(id in clauses))).toEqual([]);
  });

  test("has at least one manual step", () => {
    expect(drill.steps.some((step) => "do" in step)).toBe(true);
  });
});

test("there are at least twenty drills with unique ids", () => {
  expect(allDrills.length).toBeGreaterThanOrEqual(20);
  expect(new Set(allDrills.map(({ id }) => id)).size).toBe(allDrills.length);
});

test("every rule is covered by a drill", () => {
  const provoked = new Set(allDrills.flatMap((drill) => drill.expect));
  expect([...ruleIds].filter((id) => !provoked.has(id))).toEqual([]);
});

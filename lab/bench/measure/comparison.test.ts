import { expect, test } from "vitest";
import { type Comparison, figureOf, type Goal, judge } from "./comparison.ts";

const compare = (ours: number[], yardstick: number[] | undefined, goal: Goal): Comparison => ({
  job: "a job",
  unit: "/s",
  ours: figureOf("ours", ours),
  yardstick: yardstick && figureOf("theirs", yardstick),
  goal,
});
const atLeast = (ratio: number): Goal => ({ kind: "beside", compare: "at least", ratio });
const atMost = (ratio: number): Goal => ({ kind: "beside", compare: "at most", ratio });

test.each([
  ["met", [500], [100], atLeast(5)],
  ["missed", [499], [100], atLeast(5)],
  ["met", [20], [20], atMost(1)],
  ["missed", [21], [20], atMost(1)],
  ["met", [20], undefined, { kind: "alone", compare: "at most", value: 20 }],
  ["missed", [20.1], undefined, { kind: "alone", compare: "at most", value: 20 }],
] as const)("the verdict is %s for %j against %j with the goal %j", (kind, ours, yardstick, goal) => {
  expect(judge(compare([...ours], yardstick && [...yardstick], goal)).kind).toBe(kind);
});

test("a goal against an unmeasured yardstick is missed", () => {
  expect(judge(compare([500], undefined, atLeast(5))).kind).toBe("missed");
});

test("medians are compared, so one bad round doesn't matter", () => {
  expect(judge(compare([100, 500, 500], [100, 100, 100], atLeast(5)))).toMatchObject({ kind: "met", ratio: 5 });
});

test("a run is noisy when either side is", () => {
  expect(judge(compare([100, 150, 100], [10, 10, 10], atLeast(5))).isNoisy).toBe(true);
  expect(judge(compare([100, 100, 100], [10, 15, 10], atLeast(5))).isNoisy).toBe(true);
  expect(judge(compare([100, 100, 100], [10, 10, 10], atLeast(5))).isNoisy).toBe(false);
});

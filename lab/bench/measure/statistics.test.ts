import fc from "fast-check";
import { expect, test } from "vitest";
import { median, percentile, spreadOf, summarize } from "./statistics.ts";

test.each([
  [[5], 0.99, 5],
  [[1, 2, 3, 4], 0.5, 2],
  [Array.from({ length: 100 }, (_, index) => 100 - index), 0.99, 99],
  [Array.from({ length: 100 }, (_, index) => 100 - index), 1, 100],
  [Array.from({ length: 101 }, (_, index) => index + 1), 0.99, 100],
])("the percentile of %j at %d is %d", (values, share, expected) => {
  expect(percentile(values, share)).toBe(expected);
});

test("a percentile is an observed value with at most its share of values below", () => {
  const values = fc.array(fc.double({ noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
      const found = percentile(all, share);
      expect(all.some((value) => value === found)).toBe(true);
      expect(all.filter((value) => value < found).length).toBeLessThan(all.length * share);
      expect(all.filter((value) => value <= found).length).toBeGreaterThanOrEqual(all.length * share);
    }),
  );
});

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[7], 7],
])("the median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected);
});

test("an empty list has no median or percentile", () => {
  expect(median([])).toBeNaN();
  expect(percentile([], 0.5)).toBeNaN();
});

test("the spread is the range of the rounds as a share of their median", () => {
  expect(spreadOf([90, 100, 110])).toBeCloseTo(0.2);
  expect(spreadOf([100])).toBe(0);
});

test("rounds over 15% apart are noisy", () => {
  expect(summarize([100, 100, 114])).toMatchObject({ median: 100, isNoisy: false });
  expect(summarize([100, 100, 116])).toMatchObject({ median: 100, isNoisy: true });
});

import type { Comparison } from "./comparison.ts";

export type Verdict = { kind: "met" | "missed"; ratio: number | undefined; isNoisy: boolean };

/** Judges a comparison by its medians, and marks noisy ones. */
export function judge({ ours, yardstick, goal }: Comparison): Verdict {
  const ratio = yardstick && ours.median / yardstick.median;
  const isNoisy = ours.isNoisy || yardstick?.isNoisy === true;
  const [value, limit] = goal.kind === "beside" ? [ratio ?? Number.NaN, goal.ratio] : [ours.median, goal.value];
  const isMet = goal.compare === "at least" ? value >= limit : value <= limit;
  return { kind: isMet ? "met" : "missed", ratio, isNoisy };
}

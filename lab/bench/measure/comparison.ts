import type { Round } from "../load/round.ts";
import type { Measured } from "./in-turn.ts";
import { median, type Summary, summarize } from "./statistics.ts";

export type Figure = Summary & { name: string; values: number[]; p50Ms?: number; p99Ms?: number };

/** A goal for our figure: `beside` for its ratio to the yardstick, `alone` for the figure itself. */
export type Goal =
  | { kind: "beside"; compare: "at least" | "at most"; ratio: number }
  | { kind: "alone"; compare: "at least" | "at most"; value: number };

/** One line of the table. `lever` is what to change next if the goal is missed. */
export type Comparison = {
  job: string;
  unit: "/s" | "ms" | "s" | "MB" | "";
  ours: Figure;
  yardstick?: Figure | undefined;
  goal: Goal;
  lever?: string | undefined;
  /** The measured cause, if any. */
  cause?: string | undefined;
};

export function throughputOf({ name, rounds }: Measured): Figure {
  return {
    ...figureOf(
      name,
      rounds.map(({ perSecond }) => perSecond),
    ),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
  };
}

export function latencyOf({ name, rounds }: Measured, which: "p50Ms" | "p99Ms"): Figure {
  const { p50Ms, p99Ms } = throughputOf({ name, rounds });
  const values = rounds.map((round: Round) => round[which]);
  return { ...figureOf(name, values), ...(p50Ms !== undefined && { p50Ms }), ...(p99Ms !== undefined && { p99Ms }) };
}

export function figureOf(name: string, values: number[]): Figure {
  return { name, values, ...summarize(values) };
}

export type Verdict = { kind: "met" | "missed"; ratio: number | undefined; isNoisy: boolean };

/** Judges a comparison by its medians, and marks noisy ones. */
export function judge({ ours, yardstick, goal }: Comparison): Verdict {
  const ratio = yardstick && ours.median / yardstick.median;
  const isNoisy = ours.isNoisy || yardstick?.isNoisy === true;
  const [value, limit] = goal.kind === "beside" ? [ratio ?? Number.NaN, goal.ratio] : [ours.median, goal.value];
  const isMet = goal.compare === "at least" ? value >= limit : value <= limit;
  return { kind: isMet ? "met" : "missed", ratio, isNoisy };
}

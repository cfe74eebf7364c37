import type { Round } from "../load/round.ts";
import type { Measured } from "./in-turn.ts";
import { median, type Summary, summarize } from "./statistics.ts";

/** One side of a comparison: what was compared, summed up over its rounds, and the latencies at their medians. */
export type Figure = Summary & { name: string; values: number[]; p50Ms?: number; p99Ms?: number };

/** What is wanted of a figure of ours. `beside`: of its ratio to the yardstick; `alone`: of the figure itself. */
export type Goal =
  | { kind: "beside"; compare: "at least" | "at most"; ratio: number }
  | { kind: "alone"; compare: "at least" | "at most"; value: number }
  | { kind: "none" };

/** One line of the table. `lever`: what to change next should the goal be missed. */
export type Comparison = {
  job: string;
  unit: "/s" | "ms" | "s" | "MB" | "";
  ours: Figure;
  yardstick?: Figure | undefined;
  goal: Goal;
  lever?: string | undefined;
  /** Why it came out as it did, as far as it was measured. */
  cause?: string | undefined;
};

/** Throughput of a measured side, with its latencies. */
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

/** One latency of a measured side, as the figure that is compared. */
export function latencyOf({ name, rounds }: Measured, which: "p50Ms" | "p99Ms"): Figure {
  const { p50Ms, p99Ms } = throughputOf({ name, rounds });
  const values = rounds.map((round: Round) => round[which]);
  return { ...figureOf(name, values), ...(p50Ms !== undefined && { p50Ms }), ...(p99Ms !== undefined && { p99Ms }) };
}

/** A figure that was taken once a round, whatever it is. */
export function figureOf(name: string, values: number[]): Figure {
  return { name, values, ...summarize(values) };
}

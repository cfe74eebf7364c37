import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { JobOptions } from "../jobs/job.ts";
import type { Comparison } from "../measure/comparison.ts";
import type { Machine } from "./machine.ts";

/** One measured job: when, at which commit, on which machine, under what other load, and how. */
export type JobResult = {
  job: string;
  measuredAt: string;
  commit: string;
  machine: Machine;
  loadBefore: number;
  options: JobOptions;
  comparisons: Comparison[];
};

/** The results in a file; none when there is no such file. */
export function readResults(file: string): JobResult[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as JobResult[]) : [];
}

/** Writes results to a file, one on each line. */
export function writeResults(file: string, results: readonly JobResult[]): void {
  writeFileSync(file, `[\n${results.map((result) => JSON.stringify(result)).join(",\n")}\n]\n`);
}

/** The results with those jobs replaced that were measured again, in the order of the jobs. */
export function replaceResults(
  stored: readonly JobResult[],
  measured: readonly JobResult[],
  order: readonly string[],
): JobResult[] {
  const byJob = new Map([...stored, ...measured].map((result) => [result.job, result]));
  return order.flatMap((job) => byJob.get(job) ?? []);
}

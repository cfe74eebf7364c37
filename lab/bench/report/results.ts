import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { JobOptions } from "../jobs/job.ts";
import type { Comparison } from "../measure/comparison.ts";
import type { Machine } from "./machine.ts";

export type JobResult = {
  job: string;
  measuredAt: string;
  commit: string;
  machine: Machine;
  loadBefore: number;
  options: JobOptions;
  comparisons: Comparison[];
};

/** Empty if the file doesn't exist. */
export function readResults(file: string): JobResult[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as JobResult[]) : [];
}

export function writeResults(file: string, results: readonly JobResult[]): void {
  writeFileSync(file, `[\n${results.map((result) => JSON.stringify(result)).join(",\n")}\n]\n`);
}

/** Replaces remeasured jobs, in job order. */
export function replaceResults(
  stored: readonly JobResult[],
  measured: readonly JobResult[],
  order: readonly string[],
): JobResult[] {
  const byJob = new Map([...stored, ...measured].map((result) => [result.job, result]));
  return order.flatMap((job) => byJob.get(job) ?? []);
}

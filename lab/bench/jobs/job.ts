import type { Reaper } from "../../crash/processes/start-reaper.ts";
import type { Comparison } from "../measure/comparison.ts";

export type JobOptions = {
  rounds: number;
  seconds: number;
  connections: number;
  processes: number;
  /** The database size relative to the goal's. */
  scale: number;
  minutes: number;
};

/** Options with the run's reaper and progress output. */
export type JobContext = JobOptions & { reaper: Reaper; say: (sentence: string) => void };

export type RunJob = (context: JobContext) => Promise<Comparison[]>;

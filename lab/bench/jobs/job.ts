import type { Reaper } from "../../crash/processes/start-reaper.ts";
import type { Comparison } from "../measure/comparison.ts";

/** Options of a run. */
export type JobOptions = {
  rounds: number;
  seconds: number;
  connections: number;
  /** API processes of our service. */
  processes: number;
  /** The database size, where 1 is the goal's. */
  scale: number;
  minutes: number;
};

/** Options with the run's reaper and progress output. */
export type JobContext = JobOptions & { reaper: Reaper; say: (sentence: string) => void };

/** Measures one job, ours and its yardsticks, and compares them. */
export type RunJob = (context: JobContext) => Promise<Comparison[]>;

import type { Reaper } from "../../crash/processes/start-reaper.ts";
import type { Comparison } from "../measure/comparison.ts";

/** How a run is to be done. */
export type JobOptions = {
  rounds: number;
  seconds: number;
  connections: number;
  /** How many API processes ours has. */
  processes: number;
  /** The size of the filled database, 1 being the goal's. */
  scale: number;
  /** How long the soak goes on. */
  minutes: number;
};

/** What a job is given beside its options: who ends its processes, and where it says what it is doing. */
export type JobContext = JobOptions & { reaper: Reaper; say: (sentence: string) => void };

/** Measures one job, ours and its yardsticks, and compares them. */
export type RunJob = (context: JobContext) => Promise<Comparison[]>;

import { startReaper } from "../crash/processes/start-reaper.ts";
import { allJobs } from "./jobs/all-jobs.ts";
import type { JobOptions } from "./jobs/job.ts";
import { answerCalls } from "./processes/calls.ts";

// One job per process and cluster, so that jobs don't affect each other.

const handlers = {
  run: async ({ name, options }: { name: string; options: JobOptions }) => {
    const load = allJobs[name];
    if (!load) throw new Error(`"${name}" isn't a job.`);
    const reaper = startReaper();
    try {
      const run = await load();
      return await run({ ...options, reaper, say: (sentence) => void process.stdout.write(`  ${sentence}\n`) });
    } finally {
      await reaper.finish();
    }
  },
};

export type JobProcess = typeof handlers;

answerCalls(handlers);

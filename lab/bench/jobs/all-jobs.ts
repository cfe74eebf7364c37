import type { RunJob } from "./job.ts";

/** Each job by its name on the command line. They are loaded only when they run, because each is a process of its own. */
export const allJobs: Record<string, () => Promise<RunJob>> = {
  refresh: async () => (await import("./refresh.ts")).runRefresh,
  user: async () => (await import("./user.ts")).runUser,
  "routine-spread": async () => (await import("./routine.ts")).runRoutineSpread,
  "routine-hot": async () => (await import("./routine.ts")).runRoutineHot,
  "routine-webhooks": async () => (await import("./routine-webhooks.ts")).runRoutineWebhooks,
  webhooks: async () => (await import("./webhooks.ts")).runWebhooks,
  pages: async () => (await import("./pages.ts")).runPages,
  checks: async () => (await import("./checks.ts")).runChecks,
  memory: async () => (await import("./memory.ts")).runMemory,
  soak: async () => (await import("./soak.ts")).runSoak,
};

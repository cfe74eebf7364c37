import type { RunJob } from "./job.ts";

/** Jobs by command-line name, loaded on demand because each runs in its own process. */
export const allJobs: Record<string, () => Promise<RunJob>> = {
  refresh: async () => (await import("./refresh.ts")).runRefresh,
  user: async () => (await import("./user.ts")).runUser,
  "routine-spread": async () => (await import("./routine.ts")).runRoutineSpread,
  "routine-hot": async () => (await import("./routine.ts")).runRoutineHot,
  cells: async () => (await import("./cells.ts")).runCells,
  webhooks: async () => (await import("./webhooks.ts")).runWebhooks,
  pages: async () => (await import("./pages.ts")).runPages,
  checks: async () => (await import("./checks.ts")).runChecks,
  soak: async () => (await import("./soak.ts")).runSoak,
};

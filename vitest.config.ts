import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

// Runs a copy of Harbor, which needs its database.
const copiesTest = "lab/repository/copies.test.ts";
// They run with the service's tests, and need Harbor's database too.
const publicSandboxTests = "server/public-sandbox/**/*.test.ts";
const otherBrandTests = "components/**/*.other-brand.test.ts";
const otherBrandName = resolve(import.meta.dirname, "components/partner/testing/other-brand-name.ts");

// For a slow, busy machine: a test that hangs still fails. Don't set smaller timeouts in tests.
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000, interval: 20 } } };

// "rules" are pure and need no database; each test file of the two apps gets its own.
const databaseTests = {
  ...patience,
  globalSetup: ["./scripts/vitest-postgres.ts"],
  pool: "forks" as const,
  // Otherwise each worker parses Drizzle's 180 kB package.json once per file of Drizzle: a second of CPU time.
  execArgv: ["--import", resolve(import.meta.dirname, "scripts/quick-loading.mjs")],
};

// Inherited by workers and by processes that tests start, which would otherwise spend most of their time loading packages.
process.env["NODE_COMPILE_CACHE"] ??= resolve(import.meta.dirname, "test-results/compile-cache");

// West of Greenwich, where a date misread as midnight UTC becomes the day before.
process.env["TZ"] = "America/Los_Angeles";

const pureServiceTests = ["lib/service/domain/**/*.test.ts", "lib/service/sandbox/{checks,drills}/**/*.test.ts"];

export default defineConfig({
  test: {
    reporters: ["default"],
    // Vitest reports a worker that takes longer than this to end, and may end before its databases are deleted.
    teardownTimeout: 60_000,
    // Many files wait for a database or a clock most of the time, so even on two cores two workers are faster than one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          ...patience,
          name: "rules",
          env: { LOG_LEVEL: "silent" },
          include: [
            "lib/client/**/*.test.ts",
            "lib/contract/**/*.test.ts",
            "lib/kit/**/*.test.ts",
            ...pureServiceTests,
            "scripts/**/*.test.ts",
            "server/**/*.test.ts",
            "components/**/*.test.ts",
            "package/**/*.test.ts",
            "lab/**/*.test.ts",
          ],
          // The packages of the bench bring their own tests.
          exclude: [
            otherBrandTests,
            copiesTest,
            publicSandboxTests,
            "lab/crash/**",
            "lab/monitoring/**",
            "**/node_modules/**",
          ],
        },
      },
      // The partner app under a brand name other than the one in brand/name.ts.
      {
        resolve: { alias: [{ find: /^(#|(\.\.\/)+)brand\/name\.ts$/, replacement: otherBrandName }] },
        test: { ...patience, name: "other brand", env: { LOG_LEVEL: "silent" }, include: [otherBrandTests] },
      },
      {
        test: {
          ...databaseTests,
          name: "service",
          include: ["lib/service/**/*.test.ts", publicSandboxTests],
          exclude: pureServiceTests,
          setupFiles: ["./lib/service/testing/setup.ts"],
        },
      },
      {
        test: {
          ...databaseTests,
          name: "partner",
          include: ["lib/partner/**/*.test.ts", "app/*partner*/**/*.test.ts", copiesTest],
          setupFiles: ["./lib/partner/testing/setup.ts"],
        },
      },
      // Kills and pauses real processes: one file at a time, and in a stage of its own (scripts/test.ts).
      {
        test: {
          ...patience,
          name: "crash",
          include: ["lab/crash/**/*.test.ts"],
          pool: "forks",
          fileParallelism: false,
        },
      },
      // Needs promtool (`npm run alerts`).
      { test: { ...patience, name: "alerts", include: ["lab/monitoring/**/*.test.ts"], pool: "forks" } },
    ],
  },
});

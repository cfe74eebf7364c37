import { defineConfig } from "@playwright/test";
import type { WorkerOptions } from "./e2e/journey.ts";

// As root Chromium has no sandbox of its own; the other switches keep it from talking to anybody but us.
const args = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"];

export default defineConfig<object, WorkerOptions>({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  outputDir: "test-results/journeys",
  snapshotPathTemplate: "{testDir}/accessibility-tree/{arg}{ext}",
  // So that no worker is left with a long file while the other has nothing to do.
  fullyParallel: true,
  workers: 2,
  retries: 0,
  timeout: 600_000,
  expect: { timeout: 60_000, toPass: { timeout: 60_000 } },
  forbidOnly: true,
  reporter: [["list"], ["json"]],
  use: {
    // What was done, and nothing that is drawn or copied at each step of every journey that passes. For one that fails
    // `npm run test:e2e -- forms.spec --trace=retain-on-failure` keeps each page as well, and what was asked and answered.
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: false, sources: true },
    screenshot: "only-on-failure",
    viewport: { width: 390, height: 844 },
    launchOptions: {
      ...(process.env["TEST_BROWSER"] && { executablePath: process.env["TEST_BROWSER"] }),
      args: process.getuid?.() === 0 ? ["--no-sandbox", ...args] : args,
    },
  },
  projects: [
    { name: "each role apart", use: { apart: true }, testMatch: "**/onboarding-to-payment.spec.ts" },
    // The same walk in one process is the canary's.
    { name: "one process", use: { apart: false }, testIgnore: "**/onboarding-to-payment.spec.ts" },
  ],
});

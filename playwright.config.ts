import { defineConfig } from "@playwright/test";
import type { WorkerOptions } from "./e2e/journey.ts";

// As root, Chromium can't use its sandbox; the other switches keep it from contacting anyone but us.
const args = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"];

export default defineConfig<object, WorkerOptions>({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  outputDir: "test-results/journeys",
  snapshotPathTemplate: "{testDir}/accessibility-tree/{arg}{ext}",
  // So that no worker is left with a long file while the other is idle.
  fullyParallel: true,
  workers: 2,
  retries: 0,
  timeout: 600_000,
  expect: { timeout: 60_000, toPass: { timeout: 60_000 } },
  forbidOnly: true,
  reporter: [["list"], ["json"]],
  use: {
    // Records actions, without screenshots or snapshots at each step of every passing journey. For a failing one,
    // `npm run test:e2e -- forms.spec --trace=retain-on-failure` also keeps each page, and the requests and responses.
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
    // The canary does the same walk in one process.
    { name: "one process", use: { apart: false }, testIgnore: "**/onboarding-to-payment.spec.ts" },
  ],
});

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";
import { expect } from "@playwright/test";
import { decisionChecks } from "../lab/conformance/decisions/checks.ts";
import type { Report, Verdict } from "../lab/conformance/run-suite.ts";
import { groupBrokenDecisions, runAgainstDistorted } from "../lab/conformance/testing/broken-decisions.ts";
import type { Stack } from "../scripts/test-stack.ts";
import { test } from "./journey.ts";

// Runs the command against our service over HTTP, including its pages.

// Rules for clients, and what JSON already guarantees.
const unreachable = [
  "I.metadata.2",
  "I.metadata.9",
  "I.authentication.12",
  "I.authentication.13",
  "I.authentication.14",
];
const runsAtOnce = 2;

test("our service meets every published clause and follows our decisions", async ({ stack }) => {
  // Every clause must be checked, however slow this machine is.
  const { report, text } = await runConformance(stack, "--budget", "500", "--patience", "20");
  expect(idsOf(report, "not met", "different")).toEqual([]);
  expect(idsOf(report, "not reached").filter((id) => id.startsWith("I."))).toEqual(unreachable);
  const checked = decisionChecks.map(({ clause }) => clause);
  expect(checked.filter((clause) => !idsOf(report, "met").includes(clause))).toEqual([]);
  expect(text).toContain(` 0 not met, ${unreachable.length} not reached.`);
});

test("checks that need no sandbox control run without it", async ({ stack }) => {
  const { report } = await runConformance(stack, "--no-sandbox", "--patience", "20");
  expect(idsOf(report, "not met", "different")).toEqual([]);
  expect(idsOf(report, "met")).toEqual(expect.arrayContaining(["I.metadata.1", "I.limits.3", "D5.4"]));
  expect(report.results.find(({ id }) => id === "I.limits.5")?.why).toContain("without sandbox control");
});

test("a changed decision is reported for its clause and no other", async ({ stack }) => {
  const { serviceUrl: baseUrl, authUrl } = stack;
  const [clientId = "", clientSecret = ""] = demoCredentials();
  const left = groupBrokenDecisions();
  const runNext = async () => {
    for (let broken = left.shift(); broken; broken = left.shift()) {
      const report = await runAgainstDistorted({ baseUrl, authUrl, clientId, clientSecret }, broken);
      const clauses = broken.map(({ breaks }) => breaks).sort();
      const found = report.results.filter(({ id }) => clauses.includes(id));
      expect(found.filter(({ verdict }) => verdict !== "different")).toEqual([]);
      expect(idsOf(report, "different").sort()).toEqual(clauses);
    }
  };
  // Each run has its own client and mostly waits.
  await Promise.all(Array.from({ length: runsAtOnce }, runNext));
});

async function runConformance(
  { serviceUrl, authUrl }: Stack,
  ...more: string[]
): Promise<{ report: Report; text: string }> {
  const folder = mkdtempSync(join(tmpdir(), "gangway-conformance-"));
  const file = join(folder, "report.json");
  const [clientId = "", clientSecret = ""] = demoCredentials();
  const who = ["--client-id", clientId, "--client-secret", clientSecret];
  const where = ["--base-url", serviceUrl, "--auth-url", authUrl, "--json", file];
  try {
    const command = ["scripts/run.mjs", "lab/conformance/run.ts", ...where, ...who, ...more];
    const run = promisify(execFile)(process.execPath, command, { maxBuffer: 10_000_000 });
    const { stdout } = await run.catch((error: Error & { stdout?: string }) => {
      throw new Error(`The suite ended with an error:\n${error.stdout?.slice(-4000)}`, { cause: error });
    });
    return { report: JSON.parse(readFileSync(file, "utf8")), text: stdout };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function demoCredentials(): string[] {
  const demo = parseEnv(readFileSync(".env.example", "utf8"));
  return [demo["PARTNER_CLIENT_ID"] ?? "", demo["PARTNER_CLIENT_SECRET"] ?? ""];
}

function idsOf({ results }: Report, ...verdicts: Verdict[]): string[] {
  return results.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
}

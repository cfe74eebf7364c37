import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findFile } from "../lab/crash/failover/programs.ts";
import { canInstallFromDebian, installFromDebian } from "./debian-packages.ts";
import { ensureBuild } from "./ensure-build.ts";
import { findBrowser } from "./find-browser.ts";
import { isAlive } from "./processes.ts";
import { startTestCluster } from "./test-cluster.ts";

// All checks, the fastest first. `npm run test:e2e` runs only the journeys in the browser; `npm run test:e2e -- pages` only
// those of some files; `-g` and all else that Playwright takes may follow too.

type Tally = { passed: number; failed: number };

const reports = "test-results/reports";
// The compile cache that all processes of the journeys share.
const compileCache = resolve("test-results/compile-cache");
const tally: Tally = { passed: 0, failed: 0 };
const startedAt = performance.now();
const [part, ...choice] = process.argv.slice(2);
const onlyJourneys = part === "journeys";

// Temporary folders of this run; those of runs that were killed are deleted first.
const scratch = makeScratchFolder();

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

if (!onlyJourneys) {
  count(await check("Types", "tsc", ["--noEmit"]));
  count(await check("Lint", "biome", ["check", "--error-on-warnings", "."]));
  count(await check("Boundaries", "depcruise", boundaries()));
  count(await check("Unused code", "knip", []));
  count(await runTests("Rules, endpoints and races", "unit", ["--project=!crash"]));
  count(await runTests("Crashes", "crash", ["--project=crash"]));
  if (process.env["CI"]) count(await runPooled());
  count(await runMutants());
}
count(await runJourneys());
count(checkNothingIsLeft());

say(`Took ${Math.round((performance.now() - startedAt) / 1000)} s.`);
process.stdout.write(`${tally.passed} passed, ${tally.failed} failed\n`);
process.exit(tally.failed > 0 ? 1 : 0);

async function check(name: string, program: string, parameters: string[]): Promise<Tally> {
  say(name);
  const code = await run(program, parameters);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function makeScratchFolder(): string {
  const [prefix, place] = ["gangway-tests-", tmpdir()];
  for (const name of readdirSync(place).filter((one) => one.startsWith(prefix))) {
    if (!isAlive(Number(name.slice(prefix.length)))) rmSync(join(place, name), { recursive: true, force: true });
  }
  const folder = join(place, `${prefix}${process.pid}`);
  mkdirSync(folder, { mode: 0o755 });
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Of the tests' own; browsers and npm keep things there too.
function checkNothingIsLeft(): Tally {
  const own = /^(?:gangway|plainbook|canary|checks|log|tour)-/;
  const left = readdirSync(scratch).filter((name) => own.test(name));
  if (left.length > 0) say(`Tests left temporary folders behind: ${left.join(", ")}`);
  return left.length > 0 ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
}

function boundaries(): string[] {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  return (scripts["boundaries"] ?? "").split(" ").slice(1);
}

async function runTests(title: string, name: string, projects: string[]): Promise<Tally> {
  say(title);
  const file = `${reports}/${name}.json`;
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${file}`];
  const code = await run("vitest", ["run", ...projects, ...reporters]);
  return withExitCode(tallyOf(file), code);
}

// Only in CI: the same tests of requests again, with PgBouncer in between.
async function runPooled(): Promise<Tally> {
  say("Behind PgBouncer");
  if (canInstallFromDebian() && !findFile("pgbouncer")) installFromDebian(["pgbouncer"]);
  const code = await run("scripts/run.mjs", ["lab/pooled/run.ts"], { POOLED_REPORTS: reports });
  const tallies = ["service", "partner"].map((app) => tallyOf(`${reports}/pooled-${app}.json`));
  const sum = (name: keyof Tally) => tallies.reduce((total, one) => total + one[name], 0);
  return withExitCode({ passed: sum("passed"), failed: sum("failed") }, code);
}

// Another tenth at each commit; all of them by `npm run mutants`.
async function runMutants(): Promise<Tally> {
  say("Mutants");
  // A test that a mutant fails is ended at once, before it cleans up.
  const folder = join(scratch, "mutants");
  mkdirSync(folder);
  const code = await run("scripts/run.mjs", ["lab/mutants/run.ts", "--tenth"], { TMPDIR: folder });
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function runJourneys(): Promise<Tally> {
  const executablePath = findBrowser(say);
  await ensureBuild(".next-test", say);
  say(`Journeys in ${executablePath}`);
  const cluster = await startTestCluster("journeys");
  try {
    const file = `${reports}/journeys.json`;
    const code = await run("playwright", ["test", ...choice], {
      TEST_BROWSER: executablePath,
      TEST_POSTGRES_URL: cluster.url("postgres"),
      NODE_COMPILE_CACHE: compileCache,
      PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    });
    const stats = readReport(file)?.["stats"] as { expected?: number; unexpected?: number; flaky?: number } | undefined;
    // A test that passes only when tried again has failed.
    const failed = (stats?.unexpected ?? 0) + (stats?.flaky ?? 0);
    return withExitCode({ passed: stats?.expected ?? 0, failed }, code);
  } finally {
    cluster.stop();
  }
}

// A runner that ended with an error but named no failed test has failed too.
function withExitCode({ passed, failed }: Tally, code: number): Tally {
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

function tallyOf(file: string): Tally {
  const report = readReport(file);
  return { passed: Number(report?.["numPassedTests"] ?? 0), failed: Number(report?.["numFailedTests"] ?? 0) };
}

function readReport(file: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function count({ passed, failed }: Tally): void {
  tally.passed += passed;
  tally.failed += failed;
}

function run(program: string, parameters: string[], settings: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const file = program.includes("/") ? program : `node_modules/.bin/${program}`;
    const child = spawn(process.execPath, [file, ...parameters], {
      stdio: "inherit",
      env: { ...process.env, ...settings },
    });
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

function say(sentence: string): void {
  process.stdout.write(`\n--- ${sentence}\n`);
}

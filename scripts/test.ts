import { type ChildProcess, spawn } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { listChangedFiles, testsOf } from "./changed-tests.ts";
import { installProgramsOfTests } from "./debian-packages.ts";
import { ensureBuild } from "./ensure-build.ts";
import { findBrowser } from "./find-browser.ts";
import { isAlive } from "./processes.ts";
import { deleteOrphanedTestClusters, startTestCluster } from "./test-cluster.ts";

// `npm run test:quick` runs what a developer needs after each change: types, lint, the rules that need no other process, and
// the tests of the files that differ from the last commit.
// `npm test` runs all checks, two or three stages at a time, and prints a stage's output when it ends. `npm test -- crash` runs
// one stage, and passes options to its runner: `npm test -- unit --shard=1/2`. `npm run test:e2e` runs only the browser
// journeys and prints as it goes; `npm run test:e2e -- pages` runs those of some files.

/** `failures`: each with the first lines of its cause, repeated at the end, where people look first in a long log. */
type Tally = { passed: number; failed: number; failures?: string[] };
/** `print` gets a stage's output; undefined if its processes may write to the terminal themselves. */
type Output = { print: (text: string) => void } | undefined;
type Stage = { title: string; run: (output: Output) => Promise<Tally> };

const reports = "test-results/reports";
const tally = { passed: 0, failed: 0, failures: [] as string[] };
const startedAt = performance.now();
const running = new Set<ChildProcess>();
const [part, ...choice] = process.argv.slice(2);

// Temporary folders of this run; those of killed runs are deleted first.
const scratch = makeScratchFolder();

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
if (part !== "quick") installProgramsOfTests();
deleteOrphanedTestClusters();

let checked: Promise<unknown> = Promise.resolve();

/** The longest first. A stage uses little more than one core, so two or three run at a time (`runStages`). */
const stages: Record<string, Stage> = {
  unit: {
    title: "Rules, endpoints and races",
    run: (output) => runTests("unit", ["--project=!crash", "--project=!alerts", ...choice], output),
  },
  static: {
    title: "Static checks",
    run: (output) => {
      const ran = runStaticChecks(output);
      checked = ran;
      return ran;
    },
  },
  // The build writes the types of the pages, which a static check reads.
  journeys: { title: "Journeys", run: (output) => checked.then(() => runJourneys(output)) },
  crash: { title: "Crashes", run: (output) => runTests("crash", ["--project=crash", ...choice], output) },
  pooled: { title: "Behind PgBouncer", run: runPooled },
  alerts: { title: "Alerts", run: runAlerts },
  mutants: { title: "Mutants", run: runMutants },
};

if (part === undefined) await runStages(allStages());
else if (part === "quick") await runStages(quickStages());
else count(await stageOf(part).run(undefined));
count(checkNothingIsLeft());

if (tally.failures.length > 0) say(`Failed:\n${tally.failures.join("\n")}`);
say(`Took ${secondsSince(startedAt)} s.`);
process.stdout.write(`${tally.passed} passed, ${tally.failed} failed\n`);
process.exit(tally.failed > 0 ? 1 : 0);

function stageOf(name: string): Stage {
  const stage = stages[name];
  if (stage) return stage;
  process.stderr.write(`There is no stage "${name}", only quick, ${Object.keys(stages).join(", ")}.\n`);
  process.exit(2);
}

function allStages(): Stage[] {
  const { pooled: _pooled, alerts: _alerts, ...everywhere } = stages;
  return Object.values(process.env["CI"] === undefined ? everywhere : stages);
}

function quickStages(): Stage[] {
  const changed = testsOf(listChangedFiles(), globSync("{app,components,lab,lib,package,scripts,server}/**/*.test.ts"));
  // Crash tests take minutes, and other tests of the laboratory start processes.
  const others = changed.filter((test) => !test.startsWith("lab/crash/"));
  const rules = ["--project=rules", "--project=other brand", "--exclude=lab/**", "--exclude=server/bare-start.test.ts"];
  return [
    { title: "Types", run: (output) => check("Types", "tsc", ["--noEmit"], output) },
    { title: "Rules", run: (output) => runTests("rules", rules, output) },
    { title: "Lint", run: (output) => check("Lint", "biome", ["check", "--error-on-warnings", "."], output) },
    ...(others.length > 0
      ? [{ title: "Tests of changed files", run: (output: Output) => runTests("changed", others, output) }]
      : []),
  ];
}

async function runStages(stages: Stage[]): Promise<void> {
  const unfinished = new Map<Stage, string[]>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      for (const child of running) child.kill();
      for (const [{ title }, output] of unfinished) say(`${title}: unfinished\n${output.join("")}`);
      process.exit(1);
    });
  }
  const slots = Math.min(3, Math.max(2, availableParallelism() - 1));
  await Promise.all(
    Array.from({ length: slots }, async () => {
      for (let stage = stages.shift(); stage; stage = stages.shift()) {
        const [output, stageStartedAt]: [string[], number] = [[], performance.now()];
        unfinished.set(stage, output);
        say(`${stage.title}: started`);
        const tally = await stage.run({ print: (text) => output.push(text) });
        unfinished.delete(stage);
        count(tally);
        const result = `${tally.passed} passed, ${tally.failed} failed in ${secondsSince(stageStartedAt)} s`;
        say(`${stage.title}: ${result}\n${output.join("")}`);
      }
    }),
  );
}

async function runStaticChecks(output: Output): Promise<Tally> {
  const sum: Required<Tally> = { passed: 0, failed: 0, failures: [] };
  for (const tally of [
    await check("Types", "tsc", ["--noEmit"], output),
    await check("Lint", "biome", ["check", "--error-on-warnings", "."], output),
    await check("Boundaries", "depcruise", boundaries(), output),
    await check("Unused code", "knip", [], output),
  ]) {
    sum.passed += tally.passed;
    sum.failed += tally.failed;
    sum.failures.push(...(tally.failures ?? []));
  }
  return sum;
}

async function check(name: string, program: string, parameters: string[], output: Output): Promise<Tally> {
  const code = await run(program, parameters, output);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, failures: [name] };
}

function makeScratchFolder(): string {
  const [prefix, parent] = ["gangway-tests-", tmpdir()];
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    if (!isAlive(Number(name.slice(prefix.length)))) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, `${prefix}${process.pid}`);
  mkdirSync(folder, { mode: 0o755 });
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Only the tests' own; browsers and npm keep things there too.
function checkNothingIsLeft(): Tally {
  const ownFolder = /^(?:gangway|plainbook|canary|checks|log|tour)-/;
  const left = readdirSync(scratch).filter((name) => ownFolder.test(name));
  if (left.length > 0) say(`Tests left temporary folders behind: ${left.join(", ")}`);
  return left.length > 0 ? { passed: 0, failed: 1, failures: ["Folders left behind"] } : { passed: 1, failed: 0 };
}

function boundaries(): string[] {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  return (scripts["boundaries"] ?? "").split(" ").slice(1);
}

async function runTests(name: string, choice: string[], output: Output): Promise<Tally> {
  const file = `${reports}/${name}.json`;
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${file}`];
  const color = output ? ["--no-color"] : [];
  const code = await run("vitest", ["run", ...choice, ...reporters, ...color], output);
  return withExitCode(tallyOf(file), code);
}

// Only in CI: the request tests again, through PgBouncer.
async function runPooled(output: Output): Promise<Tally> {
  const code = await run("scripts/run.mjs", ["lab/pooled/run.ts"], output, { POOLED_REPORTS: reports });
  const tallies = ["service", "partner"].map((app) => tallyOf(`${reports}/pooled-${app}.json`));
  const sum = (name: "passed" | "failed") => tallies.reduce((total, tally) => total + tally[name], 0);
  const failures = tallies.flatMap((tally) => tally.failures ?? []);
  return withExitCode({ passed: sum("passed"), failed: sum("failed"), failures }, code);
}

// Only in CI: the alert rules, and the incidents that must raise them.
async function runAlerts(output: Output): Promise<Tally> {
  const file = `${reports}/alerts.json`;
  const code = await run("scripts/run.mjs", ["lab/repository/check-alerts.ts"], output, { ALERTS_REPORT: file });
  return withExitCode(tallyOf(file), code);
}

// A different tenth at each commit; `npm run mutants` runs all of them.
async function runMutants(output: Output): Promise<Tally> {
  // A test that a mutant breaks is killed at once, before it cleans up.
  const folder = join(scratch, "mutants");
  mkdirSync(folder);
  const code = await run("scripts/run.mjs", ["lab/mutants/run.ts", "--tenth"], output, { TMPDIR: folder });
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, failures: ["Mutants"] };
}

async function runJourneys(output: Output): Promise<Tally> {
  const announce = output ? (sentence: string) => output.print(`${sentence}\n`) : say;
  const executablePath = findBrowser(announce);
  await ensureBuild(".next-test", announce);
  announce(`Journeys in ${executablePath}`);
  const cluster = await startTestCluster("journeys");
  try {
    const file = `${reports}/journeys.json`;
    const code = await run("playwright", ["test", ...choice], output, {
      TEST_BROWSER: executablePath,
      TEST_POSTGRES_URL: cluster.url("postgres"),
      NODE_COMPILE_CACHE: resolve("test-results/compile-cache"),
      PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    });
    const report = readReport(file) as JourneysReport | undefined;
    const failures = (report?.suites ?? []).flatMap(failedJourneys);
    return withExitCode({ passed: report?.stats.expected ?? 0, failed: failures.length, failures }, code);
  } finally {
    cluster.stop();
  }
}

type JourneysSuite = {
  specs: {
    file: string;
    title: string;
    tests: { status: string; results: { errors: { message?: string }[] }[] }[];
  }[];
  suites?: JourneysSuite[];
};
type JourneysReport = { stats: { expected: number }; suites: JourneysSuite[] };

// A test that passes only on a retry has failed.
function failedJourneys({ specs, suites = [] }: JourneysSuite): string[] {
  const failed = specs.filter(({ tests }) => tests.some(({ status }) => status === "unexpected" || status === "flaky"));
  const failures = failed.map(({ file, title, tests }) => {
    const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors));
    return failureOf(`${file}: ${title}`, errors[0]?.message);
  });
  return [...failures, ...suites.flatMap(failedJourneys)];
}

function failureOf(name: string, message = ""): string {
  const lines = stripVTControlCharacters(message)
    .split("\n")
    .filter((line) => line.trim());
  return [name, ...lines.slice(0, 20).map((line) => `    ${line}`)].join("\n");
}

// A runner that exits with an error but names no failed test has failed too.
function withExitCode(tally: Tally, code: number): Tally {
  return code !== 0 && tally.failed === 0
    ? { ...tally, failed: 1, failures: ["A runner that named no failed test"] }
    : tally;
}

type VitestReport = {
  testResults?: {
    name: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};

function tallyOf(file: string): Tally {
  const report = readReport(file);
  const failures = ((report as VitestReport)?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => failureOf(`${relative(".", name)}: ${fullName}`, failureMessages[0])),
  );
  return { passed: Number(report?.["numPassedTests"] ?? 0), failed: Number(report?.["numFailedTests"] ?? 0), failures };
}

function readReport(file: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function count({ passed, failed, failures = [] }: Tally): void {
  tally.passed += passed;
  tally.failed += failed;
  tally.failures.push(...failures);
}

function run(
  program: string,
  parameters: string[],
  output: Output,
  settings: Record<string, string> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const file = program.includes("/") ? program : `node_modules/.bin/${program}`;
    const child = spawn(process.execPath, [file, ...parameters], {
      stdio: output ? ["ignore", "pipe", "pipe"] : "inherit",
      env: { ...process.env, ...settings },
    });
    running.add(child);
    child.once("exit", () => running.delete(child));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => output?.print(text));
    }
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

function say(sentence: string): void {
  process.stdout.write(`\n--- ${sentence}\n`);
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1000);
}

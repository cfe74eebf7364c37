import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { installApart } from "../install-apart.ts";
import type { JobProcess } from "./job-process.ts";
import { allJobs } from "./jobs/all-jobs.ts";
import { type BenchRequest, readOptions } from "./options.ts";
import { startCallee } from "./processes/calls.ts";
import { chartOf } from "./report/chart.ts";
import { withResults } from "./report/document.ts";
import { describeMachine } from "./report/machine.ts";
import { type JobResult, readResults, replaceResults, writeResults } from "./report/results.ts";
import { tableText } from "./report/table.ts";
import { missedGoals, rowOf } from "./report/words.ts";

// `npm run bench` measures everything and writes docs/performance.md; `npm run bench -- refresh --seconds 5` measures one job.

const known = Object.keys(allJobs);
const root = resolve(import.meta.dirname, "../..");

const request = readRequest();
installApart(import.meta.dirname, "the peers that Gangway is measured against", say);
const results: JobResult[] = [];
for (const job of request.jobs) {
  say(`\n${job}`);
  try {
    results.push(await runJob(job));
  } catch (error) {
    process.exitCode = 1;
    say(`${job} couldn't be measured: ${error instanceof Error ? error.message : error}`);
  }
}
report();

function readRequest(): BenchRequest {
  try {
    return readOptions(process.argv.slice(2), known);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

async function runJob(job: string): Promise<JobResult> {
  const { options } = request;
  const [loadBefore = 0] = loadavg();
  const about = { job, measuredAt: new Date().toISOString(), commit: commitOf(), machine: describeMachine() };
  const file = fileURLToPath(new URL("./job-process.ts", import.meta.url));
  const child = await startCallee<JobProcess>(file, { name: `job-${job}`, env: { ...process.env }, speaks: true });
  try {
    const comparisons = await child.call("run", { name: job, options });
    return { ...about, loadBefore, options, comparisons };
  } finally {
    await child.stop();
  }
}

function report(): void {
  const folder = join(root, ".data/bench");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `result-${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.json`);
  writeResults(file, results);
  const comparisons = results.flatMap((result) => result.comparisons);
  say(`\n${tableText(comparisons.map(rowOf))}\n`);
  for (const sentence of missedGoals(comparisons)) say(`Missed: ${sentence}`);
  say(`All results: ${file}`);
  if (request.isWritten) writeDocument();
}

function writeDocument(): void {
  const figures = join(root, "docs/performance.json");
  const document = join(root, "docs/performance.md");
  const stored = replaceResults(readResults(figures), results, known);
  writeResults(figures, stored);
  writeFileSync(join(root, "docs/images/performance.svg"), chartOf(stored.flatMap(({ comparisons }) => comparisons)));
  writeFileSync(document, withResults(readFileSync(document, "utf8"), stored));
  say("Updated docs/performance.md");
}

function commitOf(): string {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { cwd: root, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { inspect } from "node:util";
import { createVitest, type Reporter, type TestCase } from "vitest/node";
import { plant } from "./mutant-list.ts";
import type { MutantTask, MutantVerdict } from "./mutant-pool.ts";

// Runs linked tests in its working directory, a copy of the sources, with one planted fault at a time. One vitest
// instance lives as long as the process, so that a task doesn't pay for starting a runner.

let onResult: (testCase: TestCase) => void = () => undefined;
const reporter: Reporter = { onTestCaseResult: (testCase) => onResult(testCase) };
// A mutant can make its test hang. A test that also times out without the fault doesn't count.
const vitest = await createVitest("test", {
  watch: false,
  reporters: [reporter],
  maxWorkers: 1,
  cache: false,
  testTimeout: 60_000,
});
await vitest.standalone();

process.on("message", async (task: MutantTask) => {
  const verdict = await run(task);
  if (process.connected) process.send?.(verdict);
});
process.on("disconnect", async () => {
  await vitest.close();
  process.exit(0);
});
process.send?.("ready");

async function run({ mutant, tests, stopsAtFirst }: MutantTask): Promise<MutantVerdict> {
  const restore = mutant && plantInCopy(mutant);
  const verdict: MutantVerdict = { passed: 0, failed: [], broken: [] };
  onResult = (testCase) => {
    const { state, errors = [] } = testCase.result();
    if (state === "passed") verdict.passed += 1;
    if (state !== "failed") return;
    const isTimeout = errors.some(({ message }) => /timed out in \d+ ?ms/i.test(message));
    verdict.failed.push({ file: testCase.module.relativeModuleId, path: pathOf(testCase), isTimeout });
    if (stopsAtFirst) void vitest.cancelCurrentRun("test-failure");
  };
  try {
    const specifications = await Promise.all(
      tests.map(async ({ file, pattern }) => {
        const found = await vitest.globTestSpecifications([file]);
        const testNamePattern = new RegExp(pattern);
        return found.map(({ project, moduleId, pool }) =>
          project.createSpecification(moduleId, { testNamePattern }, pool),
        );
      }),
    );
    const files = new Set(tests.map(({ file }) => file));
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications.flat(), false);
    for (const testModule of testModules) {
      if (!files.has(testModule.relativeModuleId)) continue;
      const suites = [...testModule.children.allSuites()].flatMap((suite) => suite.errors());
      verdict.broken.push(...[...testModule.errors(), ...suites].map(({ message }) => message));
    }
    verdict.broken.push(...unhandledErrors.map((error) => inspect(error)));
    return verdict;
  } finally {
    restore?.();
    vitest.state.filesMap.clear();
    vitest.state.idMap.clear();
  }
}

function plantInCopy(mutant: NonNullable<MutantTask["mutant"]>): () => void {
  const file = resolve(mutant.file);
  const source = readFileSync(file, "utf8");
  const write = (text: string) => {
    writeFileSync(file, text);
    vitest.invalidateFile(file);
  };
  write(plant(mutant));
  return () => write(source);
}

function pathOf(testCase: TestCase): string[] {
  const path = [testCase.name];
  for (let parent = testCase.parent; parent.type === "suite"; parent = parent.parent) path.unshift(parent.name);
  return path;
}

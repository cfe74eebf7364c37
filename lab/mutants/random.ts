import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { startMutantPool } from "./mutant-pool.ts";
import { asReplacement, faultsOf, importsOf, type RandomFault, randomFrom, testsReaching } from "./random-faults.ts";

// Plants small faults at random places in the product and runs the tests that reach each one, nearest first.
//   npm run mutants:random -- --seed 7 --count 20                    in all areas
//   npm run mutants:random -- --area lib/service/storage --count 20  in files whose path starts like this
//   npm run mutants:random -- --tests 20                             at most this many test files per fault (12)
// A seed plants the same faults in the same sources. Faults that don't type-check count, too: the compiler isn't run.

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    count: { type: "string", default: "20" },
    area: { type: "string", default: "" },
    tests: { type: "string", default: "12" },
  },
});

const sources = globSync("{app,components,lib,server}/**/*.{ts,tsx}").filter((file) => !file.includes("/testing/"));
const texts = new Map(sources.map((file) => [file, readFileSync(file, "utf8")]));
const importers = new Map<string, Set<string>>();
for (const [file, text] of texts) {
  for (const imported of importsOf(file, text))
    importers.set(imported, (importers.get(imported) ?? new Set()).add(file));
}
const random = randomFrom(Number(values.seed));
const faults = [...texts]
  .filter(([file]) => file.startsWith(values.area) && !/\.test\.tsx?$/.test(file))
  .flatMap(([file, text]) => faultsOf(file, text).map((fault) => ({ file, fault })))
  .map((found) => ({ found, order: random() }))
  .toSorted((one, other) => one.order - other.order)
  .map(({ found }) => found)
  .slice(0, Number(values.count));

say(`Seed ${values.seed}: ${faults.length} faults.`);
const killedBy = new Map<string, boolean[]>();
const pool = await startMutantPool(Number(process.env["MUTANTS_WORKERS"] ?? availableParallelism()));
try {
  await Promise.all(faults.map(tryFault));
} finally {
  await pool.stop();
}
for (const [area, killed] of [...killedBy].toSorted()) {
  say(`${area}: ${killed.filter(Boolean).length} of ${killed.length} killed`);
}
process.exitCode = [...killedBy.values()].flat().every(Boolean) ? 0 : 1;

async function tryFault({ file, fault }: { file: string; fault: RandomFault }): Promise<void> {
  const text = texts.get(file) ?? "";
  const mutant = { file, ...asReplacement(text, fault) };
  const tests = testsReaching(file, importers).slice(0, Number(values.tests));
  let killer: string | undefined;
  for (const test of tests) {
    const { failed, broken } = await pool.run({ mutant, tests: [{ file: test, pattern: "" }], stopsAtFirst: true });
    if (failed.length === 0 && broken.length === 0) continue;
    killer = test;
    break;
  }
  const area = file
    .split("/")
    .slice(0, file.startsWith("lib/") ? 3 : 1)
    .join("/");
  killedBy.set(area, [...(killedBy.get(area) ?? []), killer !== undefined]);
  const line = text.slice(0, fault.start).split("\n").length;
  const what = `${file}:${line} ${fault.kind}: ${shorten(text.slice(fault.start, fault.end))} -> ${shorten(fault.text)}`;
  say(killer ? `killed    ${what} (${killer})` : `SURVIVED  ${what} (${tests.length} test files)`);
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 80 ? `${line.slice(0, 77)}...` : line || "nothing";
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import type { Proof } from "../clauses/spec-clauses.ts";
import {
  exactPattern,
  findMutantProblems,
  isLinked,
  type Killer,
  linkedPattern,
  type Mutant,
  readKillers,
  readMutants,
  repointMutants,
  writeKillers,
} from "./mutant-list.ts";
import { type MutantPool, type MutantVerdict, startMutantPool } from "./mutant-pool.ts";

// Plants each fault of mutants.json and runs the tests linked to its clause, which must fail.
//   npm run mutants                  all of them, recording the test that killed each
//   npm run mutants -- D6 I.metadata only those of some clauses
//   npm run mutants -- --stale       only those without a recorded test
//   npm run mutants -- --tenth       a tenth, chosen by the commit or by MUTANTS_TENTH (0 to 9)
//   npm run mutants -- --check       reports problems with the list
//   npm run mutants -- --repoint     follows text that moved to another file, and plants those faults

const flags = new Set(process.argv.filter((one) => one.startsWith("--")));
const prefixes = process.argv.slice(2).filter((one) => !one.startsWith("--"));

const moved = flags.has("--repoint") ? repointMutants() : [];
for (const { clause, fault, lostIn, file } of moved) say(`${clause} (${fault}): ${lostIn} -> ${file}`);
const problems = findMutantProblems();
for (const problem of problems) say(problem);
if (flags.has("--check") || (flags.has("--repoint") && moved.length === 0)) process.exit(problems.length > 0 ? 1 : 0);

const list = readMutants();
const known = readKillers(list.mutants);
const chosen = choose();
const startedAt = performance.now();
const pool = await startMutantPool(Number(process.env["MUTANTS_WORKERS"] ?? availableParallelism()));
try {
  await hunt(pool, chosen);
  if (!flags.has("--tenth")) {
    await confirmKillers(pool, chosen);
    writeKillers(list.mutants, known);
  }
  const killed = chosen.filter((mutant) => known.has(mutant)).length;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  say(`${killed} of ${chosen.length} mutants killed in ${seconds} s.`);
  process.exitCode = killed < chosen.length || problems.length > 0 ? 1 : 0;
} finally {
  await pool.stop();
}

function choose(): Mutant[] {
  if (flags.has("--stale")) return list.mutants.filter((mutant) => !known.has(mutant));
  if (flags.has("--repoint")) {
    const faults = new Set(moved.map(faultOf));
    return list.mutants.filter((mutant) => faults.has(faultOf(mutant)));
  }
  if (flags.has("--tenth")) {
    const tenth = tenthOfThisCommit();
    say(`Tenth ${tenth} of the mutants (MUTANTS_TENTH=${tenth} runs it again).`);
    // By fault and not by position, so that clauses that share a fault run together.
    const faults = [...new Set(list.mutants.map(faultOf))];
    const chosen = new Set(faults.filter((_, index) => index % 10 === tenth));
    return list.mutants.filter((mutant) => chosen.has(faultOf(mutant)));
  }
  if (prefixes.length === 0) return list.mutants;
  return list.mutants.filter(({ clause }) =>
    prefixes.some((prefix) => clause === prefix || clause.startsWith(`${prefix}.`)),
  );
}

function tenthOfThisCommit(): number {
  const setting = process.env["MUTANTS_TENTH"];
  if (setting !== undefined) return Number(setting) % 10;
  try {
    const commit = execFileSync("git", ["rev-parse", "HEAD"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return Number.parseInt(commit.slice(0, 8), 16) % 10;
  } catch {
    return Math.floor(Date.now() / 86_400_000) % 10;
  }
}

/** Plants each mutant and records the test that failed. */
async function hunt({ run }: MutantPool, mutants: Mutant[]): Promise<void> {
  // Clauses that say the same share a fault, and if they also share tests, one run.
  let done = 0;
  const same = Map.groupBy(mutants, (mutant) => {
    const killer = known.get(mutant);
    return JSON.stringify([faultOf(mutant), killer ? nameOf(killer) : mutant.proof]);
  });
  await Promise.all(
    [...same.values()].map(async (group) => {
      const [mutant] = group;
      if (!mutant) return;
      const killer = await kill(run, mutant);
      for (const member of group) {
        if ("path" in killer) known.set(member, killer);
        else known.delete(member);
      }
      done += 1;
      if (done % 20 === 0) say(`${done} of ${same.size} tried.`);
      // So that an interrupted run can continue.
      if (!flags.has("--tenth")) writeKillers(list.mutants, known);
      if ("path" in killer) return;
      say(`Survived: ${group.map(({ clause }) => clause).join(", ")}: ${mutant.fault} (${killer.why})`);
    }),
  );
}

/** Discards killers that also fail without a fault. */
async function confirmKillers({ run }: MutantPool, mutants: Mutant[]): Promise<void> {
  const killers = mutants.flatMap((mutant) => known.get(mutant) ?? []);
  const files = [...Map.groupBy(killers, ({ file }) => file)].map(([file, ofFile]) => ({
    file,
    pattern: [...new Set(ofFile.map(exactPattern))].join("|"),
  }));
  const verdicts = await Promise.all(files.map((one) => run({ tests: [one], stopsAtFirst: false })));
  const red = new Set(verdicts.flatMap(({ failed }) => failed.map(nameOf)));
  for (const name of red) say(`Fails without a fault: ${name}`);
  for (const mutant of mutants) {
    const killer = known.get(mutant);
    if (killer && red.has(nameOf(killer))) known.delete(mutant);
  }
}

async function kill(run: MutantPool["run"], mutant: Mutant): Promise<Killer | { why: string }> {
  const last = known.get(mutant);
  if (last) {
    const tests = [{ file: last.file, pattern: exactPattern(last) }];
    const killer = await killerOf(run, await run({ mutant, tests, stopsAtFirst: true }), mutant);
    if (killer) return killer;
  }
  const seen = { passed: 0, broken: "" };
  for (const test of groupByFile(mutant.proof)) {
    const verdict = await run({ mutant, tests: [test], stopsAtFirst: true });
    const killer = await killerOf(run, verdict, mutant);
    if (killer) return killer;
    seen.passed += verdict.passed;
    seen.broken ||= verdict.broken[0] ?? "";
  }
  if (seen.broken) return { why: `a test couldn't run: ${seen.broken}` };
  return { why: seen.passed > 0 ? `${seen.passed} linked tests passed` : "no linked test ran" };
}

// A test that timed out may just be slow. In that case it also times out without the fault.
async function killerOf(
  run: MutantPool["run"],
  { failed }: MutantVerdict,
  { proof }: Mutant,
): Promise<Killer | undefined> {
  const test = failed.find((one) => isLinked(proof, one));
  if (!test?.isTimeout) return test;
  const tests = [{ file: test.file, pattern: exactPattern(test) }];
  const clean = await run({ tests, stopsAtFirst: true });
  return clean.failed.length === 0 ? test : undefined;
}

// Tests without a database first, because they cost almost nothing.
function groupByFile(proof: Proof[]): { file: string; pattern: string }[] {
  const files = [...Map.groupBy(proof, ({ file }) => file)];
  const isCheap = ([file]: [string, Proof[]]) => !/^lib\/(?:partner|service\/(?!domain\/))|^app\//.test(file);
  return files
    .toSorted((one, other) => Number(isCheap(other)) - Number(isCheap(one)))
    .map(([file, proofs]) => ({
      file,
      pattern: linkedPattern([...new Set(proofs.map(({ name }) => name))]),
    }));
}

function faultOf({ file, find, replace }: Pick<Mutant, "file" | "find" | "replace">): string {
  return JSON.stringify([file, find, replace]);
}

function nameOf({ file, path }: Killer): string {
  return `${file}: ${path.join(" > ")}`;
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

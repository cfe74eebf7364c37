import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clause, type Proof, readClauses } from "../clauses/spec-clauses.ts";

/** One small fault, planted by replacing a text that occurs exactly once in a file, against one clause. */
export type Mutant = { clause: string; fault: string; file: string; find: string; replace: string; proof: Proof[] };

/** The mutants of every clause, and the clauses that say why they have none. */
export type MutantList = { mutants: Mutant[]; without: { clause: string; why: string }[] };

type Fault = { fault: string; file: string; find: string; replace: string };
// In mutants.json: the faults of a clause, the clause that says the same and whose faults count here too, or why none can be planted.
type Entry = Fault[] | { as: string } | { none: string };
type Entries = Record<string, Entry>;

const listFile = "lab/mutants/mutants.json";
const sourceFolders = ["app", "components", "lab/conformance", "lib", "scripts", "server"];

/** Every mutant of mutants.json in the order of the clauses, with the tests that must kill it. */
export function readMutants(entries = readEntries(), clauses = readClauses()): MutantList {
  const list: MutantList = { mutants: [], without: [] };
  for (const clause of clauses) {
    const entry = resolveEntry(entries, clause.id);
    if (Array.isArray(entry)) {
      const proof = testsWithoutBrowser(clause);
      list.mutants.push(...entry.map((fault) => ({ clause: clause.id, proof, ...fault })));
    } else if (entry) {
      list.without.push({ clause: clause.id, why: entry.none });
    }
  }
  return list;
}

/** What is wrong with the list, each as a sentence; of a sound one, none. */
export function findMutantProblems(entries = readEntries(), clauses = readClauses()): string[] {
  const ids = new Set(clauses.map(({ id }) => id));
  const { mutants } = readMutants(entries, clauses);
  return [
    ...Object.keys(entries)
      .filter((id) => !ids.has(id))
      .map((id) => `${id} is no clause of the documents.`),
    ...clauses
      .filter(({ id }) => !resolveEntry(entries, id))
      .map(({ id, text }) => `${id} has no mutant: ${text.slice(0, 80)}`),
    ...clauses
      .filter(({ id }) => [resolveEntry(entries, id)].flat().length === 0)
      .map(({ id }) => `${id} has an empty list of mutants.`),
    ...mutants
      .filter(({ proof }) => proof.length === 0)
      .map(({ clause }) => `${clause} has no test without a browser.`),
    ...mutants
      .filter(({ find, replace }) => find === replace)
      .map(({ clause, fault }) => `${clause} (${fault}): nothing is replaced.`),
    ...findLostMutants(mutants).map(({ clause, fault, file, find, occurrences }) => {
      const where = occurrences === undefined ? `${file} does not exist` : `occurs ${occurrences} times in ${file}`;
      return `${clause} (${fault}): ${where}: ${find}`;
    }),
  ];
}

/** The mutants whose text does not occur exactly once in their file. */
export function findLostMutants(mutants: Mutant[]): (Mutant & { occurrences: number | undefined })[] {
  return mutants
    .map((mutant) => ({ ...mutant, occurrences: countOccurrences(mutant) }))
    .filter(({ occurrences }) => occurrences !== 1);
}

/**
 * Points each lost mutant at the one source file in which its text occurs once, where there is one, and writes the list.
 * Returns those that moved, with the file that they were lost in. The same text need not be the same fault.
 */
export function repointMutants(): (Fault & { clause: string; lostIn: string })[] {
  const entries = readEntries();
  const sources = new Map(listSources().map((file) => [file, readFileSync(file, "utf8")]));
  const moved: ReturnType<typeof repointMutants> = [];
  for (const [clause, entry] of Object.entries(entries)) {
    for (const fault of Array.isArray(entry) ? entry : []) {
      if (countOccurrences(fault) === 1) continue;
      const holders = [...sources].filter(([, source]) => source.includes(fault.find));
      const [holder] = holders;
      if (!holder || holders.length > 1 || holder[1].split(fault.find).length !== 2) continue;
      const lostIn = fault.file;
      fault.file = holder[0];
      moved.push({ ...fault, clause, lostIn });
    }
  }
  if (moved.length > 0) writeFileSync(listFile, `${JSON.stringify(entries, null, 2)}\n`);
  return moved;
}

/** The text of the mutant's file with the fault in it. */
export function plant({ file, find, replace }: Pick<Mutant, "file" | "find" | "replace">): string {
  return readFileSync(file, "utf8").replace(find, () => replace);
}

function readEntries(): Entries {
  return JSON.parse(readFileSync(listFile, "utf8"));
}

function resolveEntry(entries: Entries, id: string): Fault[] | { none: string } | undefined {
  const entry = entries[id];
  if (entry === undefined || Array.isArray(entry) || "none" in entry) return entry;
  const other = entries[entry.as];
  return Array.isArray(other) ? other : undefined;
}

function testsWithoutBrowser({ proof }: Clause): Proof[] {
  return proof.filter(({ file }) => file.endsWith(".test.ts"));
}

function countOccurrences({ file, find }: Pick<Mutant, "file" | "find">): number | undefined {
  return existsSync(file) ? readFileSync(file, "utf8").split(find).length - 1 : undefined;
}

function listSources(): string[] {
  return sourceFolders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .filter((file) => /\.(tsx?|css)$/.test(file) && !/\.test\.ts$|\/testing\/|mutant/.test(file));
}

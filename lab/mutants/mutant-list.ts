import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clause, type Proof, readClauses } from "../clauses/spec-clauses.ts";

/** A small fault for one clause, planted by replacing text that occurs exactly once in a file. */
export type Mutant = { clause: string; fault: string; file: string; find: string; replace: string; proof: Proof[] };

/** The mutants of every clause, and the clauses without one, with the reason. */
export type MutantList = { mutants: Mutant[]; without: { clause: string; why: string }[] };

/** The test that failed for a mutant: its file, and its name after the names of its describe blocks. */
export type Killer = { file: string; path: string[] };

type Fault = { fault: string; file: string; find: string; replace: string };
type KilledFault = Fault & { killer?: string };
// In mutants.json: a clause's faults, each with the test that kills it; the clause whose faults it shares, with its own
// killers in the same order; or why no fault can be planted.
type Entry = KilledFault[] | { as: string; killers?: (string | null)[] } | { none: string };
type Entries = Record<string, Entry>;

const listFile = "lab/mutants/mutants.json";
const sourceFolders = ["app", "components", "lab/conformance", "lib", "scripts", "server"];

/** Every mutant of mutants.json, in clause order, with the tests that must kill it. */
export function readMutants(entries = readEntries(), clauses = readClauses()): MutantList {
  const list: MutantList = { mutants: [], without: [] };
  for (const clause of clauses) {
    const entry = resolveEntry(entries, clause.id);
    if (Array.isArray(entry)) {
      const proof = testsWithoutBrowser(clause);
      list.mutants.push(
        ...entry.map(({ fault, file, find, replace }) => ({ clause: clause.id, proof, fault, file, find, replace })),
      );
    } else if (entry) {
      list.without.push({ clause: clause.id, why: entry.none });
    }
  }
  return list;
}

/** Problems with the list, each as a sentence. */
export function findMutantProblems(entries = readEntries(), clauses = readClauses()): string[] {
  const ids = new Set(clauses.map(({ id }) => id));
  const { mutants } = readMutants(entries, clauses);
  return [
    ...Object.keys(entries)
      .filter((id) => !ids.has(id))
      .map((id) => `${id} isn't a clause of the documents.`),
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
      const problem = occurrences === undefined ? `${file} does not exist` : `occurs ${occurrences} times in ${file}`;
      return `${clause} (${fault}): ${problem}: ${find}`;
    }),
  ];
}

/** The mutants whose text doesn't occur exactly once in their file. */
export function findLostMutants(mutants: Mutant[]): (Mutant & { occurrences: number | undefined })[] {
  return mutants
    .map((mutant) => ({ ...mutant, occurrences: countOccurrences(mutant) }))
    .filter(({ occurrences }) => occurrences !== 1);
}

/**
 * Points each lost mutant at the only source file in which its text occurs once, and writes the list. Returns those
 * that moved, with their previous file. The same text isn't necessarily the same fault.
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
  if (moved.length > 0) writeEntries(entries);
  return moved;
}

/** The recorded killer of each mutant, if a test with that name is still linked to its clause. */
export function readKillers(mutants: Mutant[], entries = readEntries()): Map<Mutant, Killer> {
  const known = new Map<Mutant, Killer>();
  for (const [clause, ofClause] of Map.groupBy(mutants, ({ clause }) => clause)) {
    const names = readKillerNames(entries[clause]);
    for (const [index, mutant] of ofClause.entries()) {
      const [file = "", path] = splitOnce(names[index] ?? "", ": ");
      const killer = { file, path: path?.split(" > ") ?? [] };
      if (isLinked(mutant.proof, killer)) known.set(mutant, killer);
    }
  }
  return known;
}

/** Records each mutant's killer; a mutant without one loses its recorded killer. */
export function writeKillers(mutants: Mutant[], killers: Map<Mutant, Killer>): void {
  const entries = readEntries();
  for (const [clause, ofClause] of Map.groupBy(mutants, ({ clause }) => clause)) {
    const entry = entries[clause];
    const names = ofClause.map((mutant) => {
      const killer = killers.get(mutant);
      return killer && `${killer.file}: ${killer.path.join(" > ")}`;
    });
    if (Array.isArray(entry)) {
      entries[clause] = entry.map(({ fault, file, find, replace }, index) => {
        const killer = names[index];
        return { fault, file, find, replace, ...(killer && { killer }) };
      });
    } else if (entry && "as" in entry) {
      entries[clause] = { as: entry.as, killers: names.map((name) => name ?? null) };
    }
  }
  writeEntries(entries);
}

/** Whether a test is linked: its own name, or that of a describe block around it, starts like a proof's name. */
export function isLinked(proof: Proof[], { file, path }: Killer): boolean {
  return proof.some(
    (one) => one.file === file && path.some((name) => new RegExp(`^${namePattern(one.name)}`).test(name)),
  );
}

/** The linked tests of one file, as a pattern for the names of tests and describes joined by spaces. */
export function linkedPattern(names: string[]): string {
  return `(?:^| )(?:${names.map(namePattern).join("|")})`;
}

/** Matches a test by its full name. */
export function exactPattern({ path }: Killer): string {
  return `^${escaped(path.join(" "))}$`;
}

/** The source of the mutant's file with the fault in it. */
export function plant({ file, find, replace }: Pick<Mutant, "file" | "find" | "replace">): string {
  return readFileSync(file, "utf8").replace(find, () => replace);
}

function readEntries(): Entries {
  return JSON.parse(readFileSync(listFile, "utf8"));
}

// One fault per line, so that a diff shows which fault changed.
function writeEntries(entries: Entries): void {
  const lines = Object.entries(entries).map(([clause, entry]) => {
    const faults = Array.isArray(entry) ? entry.map((fault) => `\n    ${JSON.stringify(fault)}`) : undefined;
    return `  ${JSON.stringify(clause)}: ${faults ? `[${faults.join(",")}\n  ]` : JSON.stringify(entry)}`;
  });
  writeFileSync(listFile, `{\n${lines.join(",\n")}\n}\n`);
}

function readKillerNames(entry: Entry | undefined): (string | null | undefined)[] {
  if (Array.isArray(entry)) return entry.map(({ killer }) => killer);
  return entry && "as" in entry ? (entry.killers ?? []) : [];
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}

// A name can be a template of `test.each`.
function namePattern(name: string): string {
  return name
    .split(/%[sdifjoO#]|\$\{[^}]*\}|\$[a-zA-Z.]+/)
    .map(escaped)
    .join(".*");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

function resolveEntry(entries: Entries, id: string): KilledFault[] | { none: string } | undefined {
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

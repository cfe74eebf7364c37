import { existsSync, readFileSync } from "node:fs";
import type { Proof } from "../clauses/spec-clauses.ts";
import type { Mutant, MutantList } from "./mutant-list.ts";

/** The test that went red with the fault: its file, and its name after those of the describes around it. */
export type Killer = { file: string; path: string[] };

const tableFile = "lab/mutants/mutants.md";

/** What the committed table says of each mutant. Of one that was changed or added since, nothing. */
export function readKillers(mutants: Mutant[]): Map<Mutant, Killer> {
  const killers = new Map<string, Killer>();
  for (const line of existsSync(tableFile) ? readFileSync(tableFile, "utf8").split("\n") : []) {
    const [, clause = "", fault = "", killer = ""] = line.split(/(?<!\\)\|/).map((text) => uncell(text));
    const separator = killer.indexOf(": ");
    if (separator < 0) continue;
    const path = killer.slice(separator + 2).split(" > ");
    killers.set(`${clause} ${fault}`, { file: killer.slice(0, separator), path });
  }
  const known = new Map<Mutant, Killer>();
  for (const mutant of mutants) {
    const killer = killers.get(`${mutant.clause} ${mutant.fault}`);
    if (killer && isLinked(mutant.proof, killer)) known.set(mutant, killer);
  }
  return known;
}

/** The committed table, as it must be. */
export function writeMutantTable({ mutants, without }: MutantList, killers: Map<Mutant, Killer>): string {
  const clauses = new Set(mutants.map(({ clause }) => clause)).size;
  const lines = mutants.map((mutant) => {
    const killer = killers.get(mutant);
    const test = killer ? `${killer.file}: ${killer.path.join(" > ")}` : "**survived**";
    return `| ${mutant.clause} | ${cell(mutant.fault)} | ${cell(test)} |`;
  });
  return `# Mutants and the tests that kill them

Written by \`npm run mutants\` from mutants.json: each small fault was planted, and of the tests that clauses.json links to
the clause, this one went red. \`npm test\` checks that the list is whole and applies, and runs another tenth of it at each commit.

${clauses + without.length} clauses: ${clauses} with ${mutants.length} mutants, ${killers.size} of them killed; ${without.length} that can have none.

| clause | planted fault | killed by |
|---|---|---|
${lines.join("\n")}

| clause | why no fault can be planted |
|---|---|
${without.map(({ clause, why }) => `| ${clause} | ${cell(why)} |`).join("\n")}
`;
}

/** Whether a test is one of those that are linked: its own name, or that of a describe around it, begins like one. */
export function isLinked(proof: Proof[], { file, path }: Killer): boolean {
  return proof.some(
    (one) => one.file === file && path.some((name) => new RegExp(`^${namePattern(one.name)}`).test(name)),
  );
}

/** The names of linked tests of one file, as a pattern for the names of tests and of describes joined by spaces. */
export function linkedPattern(names: string[]): string {
  return `(?:^| )(?:${names.map(namePattern).join("|")})`;
}

/** A test by its whole name. */
export function exactPattern({ path }: Killer): string {
  return `^${escaped(path.join(" "))}$`;
}

// A name may be a template of `test.each`.
function namePattern(name: string): string {
  return name
    .split(/%[sdifjoO#]|\$\{[^}]*\}|\$[a-zA-Z.]+/)
    .map(escaped)
    .join(".*");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\|/g, "\\|");
}

function uncell(text: string): string {
  return text.trim().replace(/\\\|/g, "|");
}

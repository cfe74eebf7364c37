import { execFileSync } from "node:child_process";
import { basename, dirname } from "node:path";

/** The files changed since the last commit, new ones included. */
export function listChangedFiles(): string[] {
  const list = (...words: string[]) => execFileSync("git", words, { encoding: "utf8" }).split("\n").filter(Boolean);
  return [
    ...list("diff", "--name-only", "--diff-filter=d", "HEAD"),
    ...list("ls-files", "--others", "--exclude-standard"),
  ];
}

/**
 * The tests of changed files: tests that changed, tests named after a changed file (`sweep.ts`: `sweep.test.ts`,
 * `sweep-months.test.ts`), and for a file without such tests, those in its folder.
 */
export function testsOf(changed: readonly string[], tests: readonly string[]): string[] {
  const chosen = changed.flatMap((file) => {
    if (tests.includes(file)) return [file];
    const beside = tests.filter((test) => dirname(test) === dirname(file));
    const stem = basename(file).replace(/\.tsx?$/, "");
    const named = beside.filter((test) => basename(test).startsWith(stem));
    return named.length > 0 ? named : beside;
  });
  return [...new Set(chosen)].toSorted();
}

import { randomInt } from "node:crypto";
import type { Findings } from "./check-history.ts";

/** A sound run. */
export const nothingFound: Findings = {
  lost: [],
  doubled: [],
  unbalanced: [],
  undelivered: [],
  falseFailures: [],
  wrongAnswers: [],
};

/** The seed that CRASH_SEED names, or a new one, which is printed so that the same decisions can be had again. */
export function testSeed(): number {
  const seed = Number(process.env["CRASH_SEED"] || randomInt(1_000_000));
  process.stderr.write(`${repeatWith(seed)}\n`);
  return seed;
}

/** How to have the decisions of this seed again. */
export function repeatWith(seed: number): string {
  return `Seed ${seed} (CRASH_SEED=${seed} decides the same again)`;
}

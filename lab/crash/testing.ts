import { randomInt } from "node:crypto";
import type { Findings } from "./check-history.ts";

export const nothingFound: Findings = {
  lost: [],
  doubled: [],
  unbalanced: [],
  undelivered: [],
  falseFailures: [],
  wrongAnswers: [],
};

/** The seed in CRASH_SEED, or a new one, which is printed for reproduction. */
export function testSeed(): number {
  const seed = Number(process.env["CRASH_SEED"] || randomInt(1_000_000));
  process.stderr.write(`${repeatWith(seed)}\n`);
  return seed;
}

export function repeatWith(seed: number): string {
  return `Seed ${seed} (CRASH_SEED=${seed} repeats the choices)`;
}

import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

/** The number of failovers, the seed, and whether to use a pooler. */
export type DrillOptions = { rounds: number; seed: number; hasPooler: boolean };

/** The options of every drill that runs in rounds. Throws a readable message. */
export function readRounds(values: { rounds: string; seed: string }): { rounds: number; seed: number } {
  return { rounds: wholeNumber("rounds", values.rounds), seed: wholeNumber("seed", values.seed) };
}

export const randomSeed = (): string => String(randomInt(1_000_000));

/** Parses the options: 20 rounds and a random seed by default. Throws a readable message. */
export function readDrillOptions(parameters: string[]): DrillOptions {
  const { values } = parseArgs({
    args: parameters,
    options: {
      rounds: { type: "string", default: "20" },
      seed: { type: "string", default: randomSeed() },
      pooler: { type: "boolean", default: false },
    },
  });
  return { ...readRounds(values), hasPooler: values.pooler };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number.`);
  return Number(text);
}

import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

/** How often the primary is lost, the number that the choices of a run follow from, and whether a pooler takes part. */
export type DrillOptions = { rounds: number; seed: number; hasPooler: boolean };

/** Reads the options of the command: 20 rounds and a new seed unless they say otherwise. Throws a sentence when they are wrong. */
export function readDrillOptions(parameters: string[]): DrillOptions {
  const { values } = parseArgs({
    args: parameters,
    options: {
      rounds: { type: "string", default: "20" },
      seed: { type: "string", default: String(randomInt(1_000_000)) },
      pooler: { type: "boolean", default: false },
    },
  });
  return {
    rounds: wholeNumber("rounds", values.rounds),
    seed: wholeNumber("seed", values.seed),
    hasPooler: values.pooler,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number.`);
  return Number(text);
}

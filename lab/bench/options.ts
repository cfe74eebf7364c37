import { parseArgs } from "node:util";
import type { JobOptions } from "./jobs/job.ts";

const defaults: Record<keyof JobOptions, number> = {
  rounds: 3,
  seconds: 4,
  connections: 32,
  processes: 1,
  scale: 1,
  minutes: 30,
};

/** `isWritten`: writes the results to docs/performance.md. */
export type BenchRequest = { jobs: string[]; options: JobOptions; isWritten: boolean };

/**
 * Parses the command line. Without names, runs all jobs; "routine" selects all that start with it. A full run updates
 * the document, a partial one only with `--write`. Throws a readable message.
 */
export function readOptions(parameters: string[], known: string[]): BenchRequest {
  const numbers: Record<string, { type: "string" }> = Object.fromEntries(
    Object.keys(defaults).map((name) => [name, { type: "string" }]),
  );
  const { values, positionals } = parseArgs({
    args: parameters,
    allowPositionals: true,
    options: { ...numbers, write: { type: "boolean" } },
  });
  const isMeant = (name: string, job: string) => job === name || job.startsWith(`${name}-`);
  const unknown = positionals.find((name) => !known.some((job) => isMeant(name, job)));
  if (unknown) throw new Error(`"${unknown}" isn't a job. The jobs are ${known.join(", ")}.`);
  const selected = known.filter((job) => positionals.some((name) => isMeant(name, job)));
  const given = Object.entries(values)
    .filter(([name]) => name in defaults)
    .map(([name, text]) => [name, positiveNumber(name, String(text))]);
  return {
    jobs: selected.length > 0 ? selected : known,
    options: { ...defaults, ...Object.fromEntries(given) },
    isWritten: values["write"] === true || selected.length === 0,
  };
}

function positiveNumber(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`);
  return value;
}

import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { countFindings, printFindings, runDrill, say } from "./print-findings.ts";
import { type CrashReport, runCrash } from "./run-crash.ts";

// `npm run crash -- --rounds 100 --seed 4711` kills, pauses and cuts off the service's processes and its PostgreSQL
// under load, then reports losses. The seed determines the choices, but not their timing.

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "42" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
  },
});
const [rounds, seed] = [wholeNumber("rounds", values.rounds), wholeNumber("seed", values.seed)];

say(`Seed ${seed}, ${rounds} rounds`);
await runDrill(async () => print(await runCrash({ seed, rounds, awaitsLeases: true, say })));

function print({ rounds: done, acknowledged, unanswered, failed, findings, endings }: CrashReport): boolean {
  const byFault = Map.groupBy(done, ({ fault }) => fault);
  console.table([...byFault].map(([fault, struck]) => ({ fault, rounds: struck.length, ...recoveryOf(struck) })));
  console.table([
    {
      rounds: done.length,
      acknowledged,
      ...countFindings(findings, endings),
      ...recoveryOf(done),
    },
  ]);
  say(`${unanswered} requests got no answer and ${failed} failed; wrong answers are listed below.`);
  return printFindings(findings, endings);
}

function recoveryOf(rounds: CrashReport["rounds"]) {
  const sorted = rounds.map(({ recoveryMs }) => recoveryMs).sort((left, right) => left - right);
  return {
    "recovery median ms": sorted[Math.floor((sorted.length - 1) / 2)],
    "recovery worst ms": sorted.at(-1),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    say(`--${name} must be a whole number.`);
    process.exit(2);
  }
  return Number(text);
}

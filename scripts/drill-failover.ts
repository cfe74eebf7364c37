import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { median } from "../crash/failover/outage.ts";
import { findPrograms } from "../crash/failover/programs.ts";
import { type FailoverReport, faults, runFailoverDrill } from "../crash/failover/run-failover.ts";
import { leaseSeconds } from "../crash/failover/settings.ts";
import { ensureBuild } from "./ensure-build.ts";

// `npm run drill:failover -- --rounds 20 --seed 4711`: loses the primary of a replicated PostgreSQL under load, in four ways in
// turn, and exits with 0 when nothing that was answered is missing, doubled or unannounced, and every process of ours lived.

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
  },
});
if (![values.rounds, values.seed].every((text) => /^\d{1,9}$/.test(text))) {
  process.stderr.write("--rounds and --seed must be whole numbers.\n");
  process.exit(2);
}
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
const outageSecondsMax = leaseSeconds.ttl + 2;

try {
  const programs = findPrograms();
  await ensureBuild(".next", say);
  say(
    `Seed ${seed}, ${rounds} rounds. Logs are in test-results/logs; all that is started is on 127.0.0.1 and ends with this.`,
  );
  process.exitCode = print(await runFailoverDrill({ programs, rounds, seed, say })) ? 0 : 1;
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

function print({ rounds: done, acknowledged, unanswered, failed, events, findings, endings }: FailoverReport): boolean {
  console.table(
    [...faults, undefined].map((fault) => {
      const outages = done.filter((round) => !fault || round.fault === fault).map(({ outageMs }) => outageMs / 1000);
      return {
        "the primary": fault ?? "all",
        rounds: outages.length,
        "median s": median(outages).toFixed(1),
        "worst s": Math.max(0, ...outages).toFixed(1),
      };
    }),
  );
  const { lost, doubled, unbalanced, undelivered, falseFailures, wrongAnswers } = findings;
  console.table([
    {
      acknowledged,
      lost: lost.length,
      doubled: doubled.length,
      unbalanced: unbalanced.length,
      undelivered: undelivered.length,
      "false failures": falseFailures.length,
      "wrong answers": wrongAnswers.length,
      "processes ended": endings.length,
    },
  ]);
  say(`${events} events arrived. ${unanswered} requests got no answer and ${failed} got a failure.`);
  const late = done.filter(({ outageMs }) => outageMs > outageSecondsMax * 1000);
  const slow = late.map(({ fault, outageMs }) => `${outageMs} ms without service when the primary was ${fault}.`);
  const all = [...Object.values(findings).flat(), ...endings, ...slow];
  for (const sentence of all.slice(0, 40)) say(sentence);
  if (all.length > 40) say(`… and ${all.length - 40} more`);
  return all.length === 0;
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

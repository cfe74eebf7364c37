import { ensureBuild } from "../../scripts/ensure-build.ts";
import { readDrillOptions } from "./failover/drill-options.ts";
import { median } from "./failover/outage.ts";
import { findPrograms } from "./failover/programs.ts";
import { type FailoverReport, faults, runFailoverDrill } from "./failover/run-failover.ts";
import { leaseSeconds } from "./failover/settings.ts";
import { countFindings, printFindings, runDrill, say } from "./print-findings.ts";

// `npm run drill:failover -- --rounds 20 --seed 4711 --pooler` loses the primary of a replicated PostgreSQL under load in four
// ways. Exits with 0 if no answered work is missing, duplicated, or unannounced, and our processes survive.

// A goal, not a requirement: it depends on the machine.
const goalSeconds = leaseSeconds.ttl + 2;

await runDrill(async () => {
  const { rounds, seed, hasPooler } = readDrillOptions(process.argv.slice(2));
  const programs = findPrograms(hasPooler);
  // As `server.ts` finds it.
  await ensureBuild(process.env["NEXT_DIST_DIR"] || ".next", say);
  say(
    `Seed ${seed}, ${rounds} rounds. Logs are in test-results/logs; everything runs on 127.0.0.1 and stops with the drill.`,
  );
  return print(await runFailoverDrill({ programs, rounds, seed, hasPooler, say }));
});

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
  console.table([
    {
      acknowledged,
      ...countFindings(findings, endings),
    },
  ]);
  say(`${events} events arrived. ${unanswered} requests got no answer and ${failed} failed.`);
  const inTime = done.filter(({ outageMs }) => outageMs <= goalSeconds * 1000);
  say(`${inTime.length} of ${done.length} rounds were within the goal of ${goalSeconds} s (Patroni's lease and 2 s).`);
  return printFindings(findings, endings);
}

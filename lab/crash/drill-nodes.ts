import { parseArgs } from "node:util";
import { readCellCount } from "../../lib/service/config.ts";
import { ensureBuild } from "../../scripts/ensure-build.ts";
import { randomSeed, readRounds } from "./failover/drill-options.ts";
import { median } from "./failover/outage.ts";
import { faults, type NodesReport, type Round, runNodesDrill } from "./nodes/run-nodes.ts";
import { countFindings, printFindings, runDrill, say } from "./print-findings.ts";

// `npm run drill:nodes -- --rounds 12 --seed 4711 --cells 8` kills and pauses the nodes of cells under load, and moves
// cells at the same time; `--programs /usr/lib/postgresql/15/bin` uses a PostgreSQL other than the embedded one. Exits
// with 0 if no answered work is missing, duplicated, or unannounced, and our processes survive.

await runDrill(async () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "12" },
      seed: { type: "string", default: randomSeed() },
      cells: { type: "string", default: "8" },
      programs: { type: "string" },
    },
  });
  const { rounds, seed } = readRounds(values);
  const cellCount = readCellCount({ SERVICE_CELLS: values.cells });
  if (cellCount < 2) throw new Error("--cells must be at least 2, because the first cell can't move.");
  // As `server.ts` finds it.
  await ensureBuild(process.env["NEXT_DIST_DIR"] || ".next", say);
  say(
    `Seed ${seed}, ${rounds} rounds. Logs are in test-results/logs; everything runs on 127.0.0.1 and stops with the drill.`,
  );
  return print(await runNodesDrill({ programs: values.programs, cellCount, rounds, seed, say }));
});

function print({ rounds, moves, interruptedMoves, cells, findings, endings }: NodesReport): boolean {
  const nodes = [...new Set(rounds.map(({ node }) => node))];
  console.table(
    nodes.flatMap((node) =>
      faults.map((fault) => {
        const matching = rounds.filter((round) => round.node === node && round.fault === fault);
        const times = (of: (round: Round) => number[]) => matching.flatMap(of);
        return {
          node: `${node} ${fault}`,
          rounds: matching.length,
          "its cells, median s": seconds(median(times(({ onNodeMs }) => onNodeMs))),
          "worst s": seconds(Math.max(0, ...times(({ onNodeMs }) => onNodeMs))),
          "other cells, worst s": seconds(Math.max(0, ...times(({ elsewhereMs }) => elsewhereMs))),
        };
      }),
    ),
  );
  console.table(
    cells.map(({ cell, acknowledged, unanswered, failed, worstOutageMs }) => ({
      cell,
      acknowledged,
      "no answer": unanswered,
      "a failure": failed,
      "worst s without service": seconds(worstOutageMs),
    })),
  );
  const acknowledged = cells.reduce((sum, cell) => sum + cell.acknowledged, 0);
  console.table([{ acknowledged, ...countFindings(findings, endings) }]);
  const took = moves.map(({ tookMs }) => tookMs);
  const closed = moves.map(({ closedMs }) => closedMs);
  const stopped = moves.map(({ outageMs }) => outageMs);
  say(
    `${moves.length} cells moved under load in ${seconds(median(took))} s (median; ${seconds(Math.max(0, ...took))} s at most) ` +
      `were closed for ${seconds(median(closed))} s (${seconds(Math.max(0, ...closed))} s at most), and booked nothing for ` +
      `${seconds(median(stopped))} s (${seconds(Math.max(0, ...stopped))} s at most). ` +
      `${interruptedMoves} moves interrupted by a fault were repeated.`,
  );
  return printFindings(findings, endings);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

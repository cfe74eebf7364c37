import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { median } from "../crash/failover/outage.ts";
import { findFile } from "../crash/failover/programs.ts";
import { type MovesReport, runMoves } from "../crash/moving/run-moves.ts";
import { countFindings, tellFindings } from "../crash/tell-findings.ts";

// `npm run drill:move -- --rounds 12 --seed 4711`: moves clients from one database to another and back while they book, and
// exits with 0 when nothing that was answered is missing, doubled or unannounced. See docs/scaling.md.

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "12" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
  },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
try {
  if (!(Number.isInteger(rounds) && rounds > 0 && Number.isInteger(seed))) {
    throw new Error("--rounds and --seed must be whole numbers.");
  }
  const haproxy = findFile("haproxy");
  if (!haproxy) throw new Error("This drill needs HAProxy, which is not here. On Debian 12: apt-get install haproxy");
  say(
    `Seed ${seed}, ${rounds} moves. Logs are in test-results/logs; all that is started is on 127.0.0.1 and ends with this.`,
  );
  process.exitCode = print(await runMoves({ haproxy, rounds, seed, say })) ? 0 : 1;
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

function print({ moves, acknowledged, unanswered, findings, endings }: MovesReport): boolean {
  const unkilled = moves.filter(({ kills }) => kills === 0).map(({ pauseMs }) => pauseMs);
  const others = moves.map(({ pauseOfOthersMs }) => pauseOfOthersMs);
  console.table([
    {
      moves: moves.length,
      kills: moves.reduce((sum, { kills }) => sum + kills, 0),
      "failed and repeated": moves.reduce((sum, { failures }) => sum + failures, 0),
      "client without a booking, median s": seconds(median(unkilled)),
      "worst s": seconds(Math.max(0, ...unkilled)),
      "others, median s": seconds(median(others)),
      "others, worst s": seconds(Math.max(0, ...others)),
    },
  ]);
  console.table([{ acknowledged, ...countFindings(findings, endings) }]);
  say(`${unanswered} requests got no answer.`);
  return tellFindings(findings, endings, say);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

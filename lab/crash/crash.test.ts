import { expect, test } from "vitest";
import { runCrash } from "./run-crash.ts";
import { nothingFound, repeatWith, testSeed } from "./testing.ts";

// One round of each kind (14); `npm run crash` does many.
const rounds = 14;

// After any process is killed, paused, or cut off, acknowledged work exists exactly once, refused work doesn't exist, and every event
// arrives.
test("API, worker, and PostgreSQL killed, paused, and cut off under load: nothing lost, duplicated, unbalanced, or undelivered", async () => {
  const seed = testSeed();
  const report = await runCrash({ seed, rounds, awaitsLeases: false, say: () => {} });
  const worst = Math.max(...report.rounds.map(({ recoveryMs }) => recoveryMs));
  process.stderr.write(`${report.acknowledged} acknowledged in ${rounds} rounds, recovery ${worst} ms at worst\n`);

  expect(report.findings, repeatWith(seed)).toEqual(nothingFound);
  expect(report.endings, repeatWith(seed)).toEqual([]);
}, 600_000);

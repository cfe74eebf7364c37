import { parseArgs } from "node:util";
import { runDrill, say } from "./print-findings.ts";
import { runRestoreDrill } from "./restore-drill.ts";
import { runSidesDrill } from "./restore-sides.ts";

// `npm run drill:restore` loses a PostgreSQL under load and restores it to a point in time. Exits with 0 if every
// booking answered before that point exists, none sent after it does, and the ledger balances; and if restoring
// Harbor's and the service's databases in turn pays nothing twice.

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "10" }, bookers: { type: "string", default: "8" } },
});
const [seconds, bookers] = [Number(values.seconds), Number(values.bookers)];
if (!(seconds > 0) || !(Number.isInteger(bookers) && bookers > 0)) {
  process.stderr.write("--seconds must be more than 0, and --bookers a whole number above 0.\n");
  process.exit(2);
}
say("This needs Linux or macOS, the embedded PostgreSQL (npm ci), and a gigabyte or two of temporary disk space.");
say(
  "It starts its own processes on free ports of 127.0.0.1 and touches nothing else; their logs are in test-results/logs.",
);
await runDrill(async () => {
  const { lost, fromAfter, strangers, problems, ...report } = await runRestoreDrill({
    secondsEach: seconds,
    bookers,
    say,
  });
  const { acknowledgedBefore, sentAfter, underWay, booksAgain, backup, archive, recoveryMs, servingMs } = report;
  say(
    `Base backup: ${megabytes(backup.bytes)} in ${backup.ms} ms. Archive: ${archive.files} files, ${megabytes(archive.bytes)}.`,
  );
  say(`Accepted writes ${recoveryMs} ms after the restore began, and requests after ${servingMs} ms.`);
  console.table([
    {
      "answered before": acknowledgedBefore,
      lost: lost.length,
      "sent after": sentAfter,
      "present anyway": fromAfter.length,
      "under way": underWay,
      strangers: strangers.length,
      "ledger problems": problems.length,
      "goes on": booksAgain,
    },
  ]);
  const all = [...lost, ...fromAfter, ...strangers, ...problems];
  for (const sentence of all.slice(0, 20)) say(sentence);
  const isSound = all.length === 0 && booksAgain && acknowledgedBefore > 0 && sentAfter > 0;
  const { paidTwice, wrong, payments } = await runSidesDrill({ say });
  for (const sentence of wrong) say(sentence);
  say(`Both sides, each restored in turn: ${payments} payments, ${paidTwice.length} of them paid twice.`);
  return isSound && paidTwice.length + wrong.length === 0;
});

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

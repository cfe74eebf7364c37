import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { openOperatorDatabases } from "./embedded-databases.ts";
import { endWithUsage } from "./exit.ts";

// `npm run reconcile`: checks that the service's books agree with themselves, while it runs. Exits with 0 if they agree, with 1
// if they don't, and with 2 if a comparison failed. See docs/runbooks.md.

if (process.argv.length > 2) endWithUsage("npm run reconcile");
try {
  if (existsSync(".env")) loadEnvFile(".env");
  const cluster = await openOperatorDatabases(["service"]);
  try {
    process.exitCode = await compare();
  } finally {
    cluster?.stop();
  }
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 2;
}

/** Returns the exit code. */
async function compare(): Promise<0 | 1 | 2> {
  const { reconcile } = await import("../lib/service/operations/money/reconcile.ts");
  const { cells, inEachCell, tryInEachCell } = await import("../lib/service/cells.ts");
  const { serviceConfig } = await import("../lib/service/config.ts");
  const { requireServedCells } = await import("../lib/service/storage/client-cells.ts");
  const { servicePool } = await import("../lib/service/storage/database.ts");
  const { requireMigratedCells } = await import("../lib/service/storage/migrate-cells.ts");
  await requireMigratedCells(serviceConfig().databaseDirectUrl, cells());
  await chooseOwnProviders();
  try {
    await requireServedCells();
    const { results: cellReports, errors } = await tryInEachCell(reconcile);
    const total = (name: "accounts" | "postings" | "transfers" | "problemCount") =>
      cellReports.reduce((sum, report) => sum + report[name], 0);
    const [accounts, postings, transfers] = [total("accounts"), total("postings"), total("transfers")];
    const problemCount = total("problemCount");
    const problems = cellReports.flatMap((report) => report.problems);
    if (cellReports.length > 0) {
      process.stdout.write(`Compared ${accounts} accounts, ${postings} postings and ${transfers} transfers.\n`);
    }
    for (const problem of problems) process.stdout.write(`${problem}\n`);
    if (problemCount > problems.length) process.stdout.write(`And ${problemCount - problems.length} more.\n`);
    for (const error of errors) process.stderr.write(`${error.message}\n`);
    if (errors.length > 0) return 2;
    if (problemCount === 0) process.stdout.write("The books agree.\n");
    return problemCount === 0 ? 0 : 1;
  } finally {
    await inEachCell(() => servicePool().end());
  }
}

/** Chooses providers like a starting process, because what waits for a decision depends on them. */
async function chooseOwnProviders(): Promise<void> {
  const { serviceConfig } = await import("../lib/service/config.ts");
  const { chooseProviders, productionProviders } = await import("../lib/service/providers.ts");
  const isSandbox = serviceConfig().mode === "sandbox";
  const sandbox = isSandbox ? await import("../lib/service/sandbox/providers.ts") : undefined;
  chooseProviders(sandbox?.sandboxProviders ?? productionProviders());
}

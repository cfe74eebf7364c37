import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { dataFolderOf, openOperatorDatabases } from "./embedded-databases.ts";
import { endWithUsage } from "./exit.ts";

// `npm run keys:rotate [-- service | partner]`: run it after you put a new key first in *_ENCRYPTION_KEYS and restarted every
// process. Once it reports 0, you can remove the older keys. See docs/operations.md.

const [app, ...more] = process.argv.slice(2);
if ((app !== undefined && app !== "service" && app !== "partner") || more.length > 0) {
  endWithUsage("npm run keys:rotate [-- service | partner]");
}
try {
  if (existsSync(".env")) loadEnvFile(".env");
  // One database's failure doesn't stop the others.
  if (app !== "partner") await rotateService().catch((error) => reportFailure(error));
  if (app !== "service") {
    const folders = partnerFolders();
    const nameOf = (folder: string) => (folders.length > 1 ? `partner in ${folder}: ` : "");
    for (const folder of folders) await rotatePartner(folder).catch((error) => reportFailure(error, nameOf(folder)));
  }
} catch (error) {
  reportFailure(error);
}

function reportFailure(error: unknown, prefix = ""): void {
  process.stderr.write(`${prefix}${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

async function rotateService(): Promise<void> {
  const cluster = await openOperatorDatabases(["service"]);
  try {
    await rotateCells();
  } finally {
    cluster?.stop();
  }
}

async function rotateCells(): Promise<void> {
  const { rotateServiceKeys } = await import("../lib/service/operations/rotate-keys.ts");
  const { cells, inEachCell, tryInEachCell } = await import("../lib/service/cells.ts");
  const { serviceConfig } = await import("../lib/service/config.ts");
  const { requireServedCells } = await import("../lib/service/storage/client-cells.ts");
  const { servicePool } = await import("../lib/service/storage/database.ts");
  const { requireMigratedCells } = await import("../lib/service/storage/migrate-cells.ts");
  await requireMigratedCells(serviceConfig().databaseDirectUrl, cells());
  try {
    await requireServedCells();
    const { results, errors } = await tryInEachCell(rotateServiceKeys);
    if (errors.length > 0) throw new AggregateError(errors);
    say(
      "service",
      results.reduce((sum, count) => sum + count),
    );
  } finally {
    await inEachCell(() => servicePool().end());
  }
}

/** The folders of Harbor's embedded databases, the demo's and that of `npm run harbor`; one if a database is configured. */
function partnerFolders(): string[] {
  const folders = [dataFolderOf("demo"), dataFolderOf("harbor")].filter((folder) => existsSync(folder));
  return process.env["PARTNER_DATABASE_URL"] || folders.length === 0 ? [dataFolderOf("demo")] : folders;
}

async function rotatePartner(folder: string): Promise<void> {
  const { rotatePartnerKeys } = await import("../lib/partner/jobs/rotate-keys.ts");
  const { readPartnerConfig } = await import("../lib/partner/config.ts");
  const { openPartner } = await import("../lib/partner/process-partner.ts");
  const cluster = await openOperatorDatabases(["partner"], folder);
  try {
    const partner = openPartner(readPartnerConfig(process.env));
    try {
      say(cluster ? `partner in ${folder}` : "partner", await rotatePartnerKeys(partner));
    } finally {
      await partner.pool.end();
    }
  } finally {
    cluster?.stop();
    // The next folder's database is another one.
    if (cluster) process.env["PARTNER_DATABASE_URL"] = "";
  }
}

function say(name: string, changed: number): void {
  process.stdout.write(`${name}: ${changed} values were encrypted with an older key and now use the current one.\n`);
}

import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { openOperatorDatabases } from "./embedded-databases.ts";
import { endWithUsage } from "./end-with-usage.ts";

// `npm run keys:rotate [-- service | partner]`: run it after you put a new key first in *_ENCRYPTION_KEYS and restarted every
// process. Once it reports 0, you can remove the older keys. See docs/operations.md.

const [app, ...more] = process.argv.slice(2);
if ((app !== undefined && app !== "service" && app !== "partner") || more.length > 0) {
  endWithUsage("npm run keys:rotate [-- service | partner]");
}
try {
  if (existsSync(".env")) loadEnvFile(".env");
  const cluster = await openOperatorDatabases(app ? [app] : ["service", "partner"]);
  try {
    // One app's failure doesn't stop the other.
    if (app !== "partner") await rotateService().catch(reportFailure);
    if (app !== "service") await rotatePartner().catch(reportFailure);
  } finally {
    cluster?.stop();
  }
} catch (error) {
  reportFailure(error);
}

function reportFailure(error: unknown): void {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

async function rotateService(): Promise<void> {
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

async function rotatePartner(): Promise<void> {
  const { rotatePartnerKeys } = await import("../lib/partner/jobs/rotate-keys.ts");
  const { partner } = await import("../lib/partner/process-partner.ts");
  try {
    say("partner", await rotatePartnerKeys(partner()));
  } finally {
    await partner().pool.end();
  }
}

function say(name: string, changed: number): void {
  process.stdout.write(`${name}: ${changed} values were encrypted with an older key and now use the current one.\n`);
}

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
    if (app !== "partner") await rotateService();
    if (app !== "service") await rotatePartner();
  } finally {
    cluster?.stop();
  }
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

async function rotateService(): Promise<void> {
  const { rotateServiceKeys } = await import("../lib/service/operations/rotate-keys.ts");
  const { cells, inEachCell } = await import("../lib/service/cells.ts");
  const { serviceConfig } = await import("../lib/service/config.ts");
  const { requireServedCells } = await import("../lib/service/storage/client-cells.ts");
  const { servicePool } = await import("../lib/service/storage/database.ts");
  const { requireMigratedCells } = await import("../lib/service/storage/migrate-cells.ts");
  await requireMigratedCells(serviceConfig().databaseDirectUrl, cells());
  try {
    await requireServedCells();
    // A cell that fails doesn't stop the others.
    const errors: unknown[] = [];
    const changed = await inEachCell(() =>
      rotateServiceKeys().catch((error: unknown) => {
        errors.push(error);
        return 0;
      }),
    );
    if (errors.length > 0) throw new AggregateError(errors);
    say(
      "service",
      changed.reduce((sum, count) => sum + count),
    );
  } finally {
    await inEachCell(() => servicePool().end());
  }
}

async function rotatePartner(): Promise<void> {
  const { rotatePartnerKeys } = await import("../lib/partner/jobs/rotate-keys.ts");
  const { partner } = await import("../lib/partner/process-partner.ts");
  say("partner", await rotatePartnerKeys(partner()));
  await partner().pool.end();
}

function say(name: string, changed: number): void {
  process.stdout.write(`${name}: ${changed} values were encrypted with an older key and now use the current one.\n`);
}

import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { migrateDatabase } from "../lib/kit/migrate-database.ts";
import { writableAddress } from "../lib/kit/postgres.ts";
import { cellsOf } from "../lib/service/cells.ts";
import { readCellCount } from "../lib/service/config.ts";
import { requireServedCells } from "../lib/service/storage/client-cells.ts";
import { migrateCells, withClient } from "../lib/service/storage/migrate-cells.ts";
import { endWithUsage } from "./exit.ts";

// `npm run migrate [-- service | partner]`: brings the databases to this version's schema before any of its processes starts.
// See docs/operations.md, "Upgrading without a pause".

const [app, ...more] = process.argv.slice(2);
if ((app !== undefined && app !== "service" && app !== "partner") || more.length > 0) {
  endWithUsage("npm run migrate [-- service | partner]");
}
try {
  if (existsSync(".env")) loadEnvFile(".env");
  for (const appName of app ? [app] : (["service", "partner"] as const)) {
    const name = appName.toUpperCase();
    // Bypasses a pooler.
    const url = process.env[`${name}_DATABASE_DIRECT_URL`] || process.env[`${name}_DATABASE_URL`];
    if (!url) throw new Error(`${name}_DATABASE_URL must name the database.`);
    if (appName === "service") await migrateService(url);
    else await migrateDatabase(await writableAddress(url), "lib/partner/storage/migrations");
    process.stdout.write(`${appName}: the database has every migration of this version.\n`);
  }
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

async function migrateService(url: string): Promise<void> {
  const cells = cellsOf(readCellCount(process.env));
  await migrateCells(url, cells);
  await withClient(await writableAddress(url), (home) => requireServedCells(home, cells));
}

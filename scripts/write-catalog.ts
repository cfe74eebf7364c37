import { writeFileSync } from "node:fs";
import { catalogFile, readCatalog } from "../lib/kit/database-catalog.ts";
import { openPool } from "../lib/kit/postgres.ts";
import { startTemplateCluster } from "./test-cluster.ts";

// `npm run migrations:catalog`: migrates an empty database of each app and records its catalog.

for (const app of ["service", "partner"] as const) {
  const cluster = await startTemplateCluster(app, "catalog");
  const url = new URL(cluster.url);
  url.pathname = "/template_of_tests";
  const pool = openPool(url.href);
  try {
    const lines = await readCatalog(pool);
    writeFileSync(catalogFile(`lib/${app}/storage/migrations`), `${lines.join("\n")}\n`);
    process.stdout.write(`${app}: ${lines.length} objects.\n`);
  } finally {
    await pool.end();
    cluster.stop();
  }
}

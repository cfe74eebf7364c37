import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateDatabase } from "../lib/kit/migrate-database.ts";
import { type FakeServer, startFakeServer } from "../lib/kit/testing/fake-server.ts";
import { claim, ensureDatabase } from "./embedded-databases.ts";
import { type Cluster, startCluster } from "./embedded-postgres.ts";
import { requireSameService } from "./one-service.ts";
import { runStatements } from "./run-statements.ts";

// This process stands in for `npm run harbor`: it runs the embedded database while the command runs beside it.
const root = resolve(import.meta.dirname, `../.data/tests/adopt-${process.pid}`);
const folder = join(root, "harbor");
let service: FakeServer;
let cluster: Cluster;
let url: string;
beforeAll(async () => {
  service = await startFakeServer();
  service.answer((_request, response) => response.writeHead(503).end());
  for (const other of ["demo", "idle/harbor"]) mkdirSync(join(root, other), { recursive: true });
  copyFileSync(".env.example", join(root, ".env"));
  claim(folder);
  requireSameService(folder, service.url);
  cluster = await startCluster(folder);
  url = await ensureDatabase(cluster, "partner");
  await migrateDatabase(url, "lib/partner/storage/migrations");
});
afterAll(async () => {
  cluster.stop();
  await service.stop();
  for (const used of [cluster.folder, root]) rmSync(used, { recursive: true, force: true });
});

test("--without-list releases the payments of the Harbor that runs, and leaves its database running", async () => {
  expect(await adopt(["--without-list"])).toMatchObject({ stdout: expect.stringMatching(/^Payments continue/) });
  const comparison = `
    select is_partial, starts_with(database_identity, pg_postmaster_start_time()::text) as is_current
    from routine_comparison`;
  expect(await runStatements(url, comparison)).toEqual([{ is_partial: true, is_current: true }]);
});

test("refuses data from another service than the one in the settings, and sends it nothing", async () => {
  const other = await startFakeServer();
  const { stderr } = await adopt([], other.url);
  expect(stderr).toContain(`The data in ${folder} is from the service at ${service.url}`);
  expect(other.requests).toEqual([]);
  await other.stop();
});

test("refuses while Harbor isn't running, because its next start would hold the payments again", async () => {
  const { stderr } = await adopt(["--without-list"], service.url, join(root, "idle"));
  expect(stderr).toContain("`npm run harbor` isn't running");
});

async function adopt(words: string[], serviceUrl = service.url, dataFolder = root) {
  const command = [resolve("scripts/run.mjs"), resolve("scripts/harbor-adopt.ts"), ...words];
  const settings = { DATA_FOLDER: dataFolder, PARTNER_SERVICE_BASE_URL: serviceUrl, LOG_LEVEL: "silent" };
  const env = { PATH: process.env["PATH"], NODE_ENV: "test", ...settings } as NodeJS.ProcessEnv;
  const run = promisify(execFile)(process.execPath, command, { cwd: root, env });
  return run.catch((failed: { stdout: string; stderr: string }) => failed);
}

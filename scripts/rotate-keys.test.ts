import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateDatabase } from "../lib/kit/migrate-database.ts";
import { encryptText } from "../lib/kit/secrets.ts";
import { ensureDatabase } from "./embedded-databases.ts";
import { startCluster } from "./embedded-postgres.ts";

const root = resolve(import.meta.dirname, `../.data/tests/rotate-${process.pid}`);
const older = { id: "older-1", bytes: new Uint8Array(32).fill(1) };
const current = { id: "current-1", bytes: new Uint8Array(32).fill(2) };
const clusterFolders: string[] = [];
beforeAll(() => {
  mkdirSync(root, { recursive: true });
  copyFileSync(".env.example", join(root, ".env"));
});
afterAll(() => {
  for (const used of [...clusterFolders, root]) rmSync(used, { recursive: true, force: true });
});

test("without a configured database, rotates the embedded ones of `npm run harbor` and of the demo", async () => {
  await createDatabase("harbor");
  expect(await rotate()).toBe(`partner in ${root}/harbor: 2${changed}`);
  await createDatabase("demo");
  expect(await rotate()).toBe(`partner in ${root}/demo: 2${changed}partner in ${root}/harbor: 0${changed}`);
});

const changed = " values were encrypted with an older key and now use the current one.\n";

async function createDatabase(folder: "demo" | "harbor"): Promise<void> {
  const cluster = await startCluster(join(root, folder));
  clusterFolders.push(cluster.folder);
  mkdirSync(join(root, folder), { recursive: true });
  const url = await ensureDatabase(cluster, "partner");
  await migrateDatabase(url, "lib/partner/storage/migrations");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("insert into token_pairs values ('user-1', $1, $1, now(), now(), now())", [
    await encryptText("a-token", "token_pairs.access_token:user-1", [older]),
  ]);
  await client.end();
  cluster.stop();
}

async function rotate(): Promise<string> {
  const PARTNER_ENCRYPTION_KEYS = [current, older]
    .map(({ id, bytes }) => `${id}:${Buffer.from(bytes).toString("base64")}`)
    .join();
  const settings = { DATA_FOLDER: root, PARTNER_ENCRYPTION_KEYS, LOG_LEVEL: "silent" };
  const env = { PATH: process.env["PATH"], NODE_ENV: "test", ...settings } as NodeJS.ProcessEnv;
  const command = [resolve("scripts/run.mjs"), resolve("scripts/rotate-keys.ts"), "partner"];
  return (await promisify(execFile)(process.execPath, command, { cwd: root, env })).stdout;
}

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { migrateDatabase } from "../lib/kit/migrate-database.ts";
import { ensureDatabase } from "./embedded-databases.ts";
import { clusterFolder, deleteOrphanedClusters, startCluster } from "./embedded-postgres.ts";

// `--data memory`: each start has its own database. It is copied from a template, because creating one takes longer than the
// rest of a start.

const migrations = "lib/service/storage/migrations";
const parentFolder = ".data/memory";

/** This process's data folder. It is deleted when the process ends or, if it was killed, by a later start. */
export function memoryFolder(): string {
  return resolve(parentFolder, `service-${process.pid}`);
}

/** Fills `memoryFolder`. The first start after an update creates the template. */
export async function fillMemoryFolder(): Promise<void> {
  deleteOrphanedClusters(parentFolder);
  const template = await ensureTemplate();
  const folder = clusterFolder(memoryFolder());
  process.once("exit", () => deleteFolders(memoryFolder(), folder));
  // Keeps the owner, unlike Node's own copy.
  await promisify(execFile)("cp", ["-a", `${template}/.`, folder]).catch((error: { stderr: string }) => {
    throw new Error(`The template database couldn't be copied: ${error.stderr.trim()}`);
  });
}

async function ensureTemplate(): Promise<string> {
  const version = createHash("sha256")
    .update(readFileSync(`${migrations}/meta/_journal.json`))
    .digest("hex");
  const template = clusterFolder(resolve(`.data/template-${version.slice(0, 12)}`));
  if (existsSync(join(template, "data"))) return template;
  const draft = join(parentFolder, `template-${process.pid}`);
  const cluster = await startCluster(draft);
  try {
    const url = await ensureDatabase(cluster, "service");
    await migrateDatabase(url, migrations);
    await forgoDurability(url);
  } finally {
    cluster.stop();
  }
  try {
    renameSync(cluster.folder, template);
  } catch (error) {
    // Another start may have created it first.
    if (!existsSync(join(template, "data"))) throw error;
  } finally {
    deleteFolders(draft, cluster.folder);
  }
  return template;
}

async function forgoDurability(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const name of ["fsync", "synchronous_commit", "full_page_writes"])
      await client.query(`alter system set ${name} = off`);
  } finally {
    await client.end();
  }
}

function deleteFolders(...folders: string[]): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

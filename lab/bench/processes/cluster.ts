import { dirname, join, resolve } from "node:path";
import pg from "pg";
import { startCluster } from "../../../scripts/embedded-postgres.ts";
import type { Reaper } from "../../crash/processes/start-reaper.ts";

/** One side's PostgreSQL with default settings: durable (fsync on), untuned. */
export type BenchCluster = {
  url: string;
  pid: number;
};

const folder = resolve(import.meta.dirname, "../../../.data/bench");

export async function startBenchCluster(name: string, reaper: Reaper): Promise<BenchCluster> {
  const directory = join(folder, `${name}-${process.pid}`);
  const { url, pid } = await startCluster(directory);
  const client = new pg.Client({ connectionString: url("postgres") });
  await client.connect();
  const { rows } = await client.query<{ data: string }>("select current_setting('data_directory') as data");
  await client.query("create database bench");
  await client.end();
  const data = rows[0]?.data ?? "";
  reaper.send({ watch: pid });
  // The data is elsewhere if the server's user can't enter the requested folder.
  for (const path of [directory, dirname(data)]) reaper.send({ folder: path });
  return { url: url("bench"), pid };
}

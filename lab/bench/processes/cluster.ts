import { dirname, join, resolve } from "node:path";
import { startCluster } from "../../../scripts/embedded-postgres.ts";
import { runStatements } from "../../../scripts/run-statements.ts";
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
  const [row] = await runStatements<{ data: string }>(
    url("postgres"),
    "create database bench",
    "select current_setting('data_directory') as data",
  );
  const data = row?.data ?? "";
  reaper.send({ watch: pid });
  // The data is elsewhere if the server's user can't enter the requested folder.
  for (const path of [directory, dirname(data)]) reaper.send({ folder: path });
  return { url: url("bench"), pid };
}

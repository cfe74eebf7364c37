import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostsOf } from "../../../lib/kit/database-address.ts";
import { withClient } from "../../../lib/service/storage/migrate-cells.ts";
import { freePort } from "../../../scripts/embedded-postgres.ts";
import { type CrashableCluster, startCrashableCluster } from "../processes/cluster.ts";
import type { Reaper } from "../processes/start-reaper.ts";

/** A PostgreSQL that can hold cells. Its port stays the same. */
export type CellServer = Omit<CrashableCluster, "url"> & { name: string; url: (database: string) => string };

const settings = {
  max_connections: "600",
  wal_level: "logical",
  max_wal_senders: "30",
  max_replication_slots: "30",
  max_logical_replication_workers: "12",
  max_worker_processes: "20",
  max_sync_workers_per_subscription: "4",
};

type Options = { folder: string; programs: string | undefined; database: string; reaper: Reaper };

/** Three servers with the same password in an existing folder, each with the database. The reaper cleans up. */
export async function startCellServers({ folder, programs, database, reaper }: Options) {
  const password = randomBytes(12).toString("hex");
  const start = async (name: string): Promise<CellServer> => {
    const home = join(folder, name);
    mkdirSync(home);
    writeFileSync(join(home, "password"), password, { mode: 0o600 });
    const options = { ...(programs && { programs }), port: await freePort(), settings };
    const { url, ...server } = await startCrashableCluster(reaper, options, home);
    await withClient(url(), (client) => client.query(`create database ${database}`));
    const urlOf = (name: string) => {
      const address = new URL(url());
      address.pathname = `/${name}`;
      return address.href;
    };
    return { ...server, name, url: urlOf };
  };
  return [await start("server-1"), await start("server-2"), await start("server-3")] as const;
}

/** The format that `npm run cell:move` takes. */
export function hostsOfServer(server: CellServer): string {
  return hostsOf(server.url("postgres"));
}

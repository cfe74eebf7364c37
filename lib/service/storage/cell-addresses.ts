import type pg from "pg";
import { withHosts } from "../../kit/database-address.ts";
import { processWide } from "../../kit/memoize.ts";
import type { AddressSource } from "../../kit/postgres.ts";
import { type Cell, firstCell } from "../cells.ts";

// The first cell's database records which node each cell is on. This process remembers it until a connection fails, so that
// it can serve the other cells while that database is down.

type Caller = Pick<pg.Pool, "query">;
/** Only for cells that aren't on the first cell's node. */
type Hosts = Map<Cell, string>;

const remembered = processWide("service.cell_hosts", () => ({ hosts: undefined as Hosts | undefined, isFresh: false }));

/** `home` is the first cell's database. `url` is its address; its user, password and options apply to every node. */
export function addressSource(cell: Cell, url: string, home: () => Caller): AddressSource | undefined {
  if (cell === firstCell) return undefined;
  return {
    find: async () => addressOfCell(cell, url, await recallHosts(home())),
    forget: forgetHosts,
  };
}

/** The next connection asks again. */
export function forgetHosts(): void {
  remembered().isFresh = false;
}

export function addressOfCell(cell: Cell, url: string, hosts: Hosts): string {
  const cellHosts = hosts.get(cell);
  return cellHosts === undefined ? url : withHosts(url, cellHosts);
}

export async function readCellHosts(home: Caller): Promise<Hosts> {
  const { rows } = await home.query<{ cell: Cell; hosts: string }>(
    "select cell, hosts from public.cell_nodes where hosts <> ''",
  );
  return new Map(rows.map(({ cell, hosts }) => [cell, hosts]));
}

async function recallHosts(home: Caller): Promise<Hosts> {
  const memory = remembered();
  if (memory.hosts && memory.isFresh) return memory.hosts;
  try {
    memory.hosts = await readCellHosts(home);
    memory.isFresh = true;
  } catch (error) {
    if (!memory.hosts) throw error;
  }
  return memory.hosts;
}

import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { withHosts } from "../../kit/database-address.ts";
import { processWide } from "../../kit/memoize.ts";
import type { AddressSource } from "../../kit/postgres.ts";
import { type Cell, cells, firstCell } from "../cells.ts";

// The first cell's database records which node each cell is on. This process remembers it until a connection fails, so that
// it can serve the other cells while that database is down.

type Caller = Pick<pg.Pool, "query">;
/** Only for cells that aren't on the first cell's node. */
type Hosts = Map<Cell, string>;

const cached = processWide("service.cell_hosts", () => ({
  hosts: undefined as Hosts | undefined,
  /** The cells whose hosts were read since their last failed connection. */
  fresh: new Set<Cell>(),
  reading: undefined as Promise<Hosts> | undefined,
  /** Until then, a failed read isn't repeated. */
  retryAt: 0,
}));

/** `home` is the first cell's database. `url` is its address; its user, password and options apply to every node. */
export function addressSource(cell: Cell, url: string, home: () => Caller): AddressSource | undefined {
  if (cell === firstCell) return undefined;
  return {
    find: async () => addressOfCell(cell, url, await findHosts(cell, home)),
    forget: () => {
      const cache = cached();
      cache.fresh = new Set([...cache.fresh].filter((other) => other !== cell));
    },
  };
}

/** Each cell's next connection asks again. */
export function forgetHosts(): void {
  Object.assign(cached(), { fresh: new Set(), reading: undefined, retryAt: 0 });
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

const readTimeoutMs = 1000;
const retryMs = 5000;

async function findHosts(cell: Cell, home: () => Caller): Promise<Hosts> {
  const cache = cached();
  if (cache.hosts && (cache.fresh.has(cell) || performance.now() < cache.retryAt)) return cache.hosts;
  cache.reading ??= refreshHosts(home());
  if (!cache.hosts) return cache.reading;
  // The first cell's server may hang, and this cell has probably not moved.
  const hosts = await Promise.race([cache.reading.catch(() => undefined), delay(readTimeoutMs)]);
  if (hosts) return hosts;
  cache.retryAt = performance.now() + retryMs;
  return cache.hosts;
}

async function refreshHosts(home: Caller): Promise<Hosts> {
  const cache = cached();
  const { fresh } = cache;
  try {
    const hosts = await readCellHosts(home);
    cache.hosts ??= hosts;
    // Otherwise a cell was forgotten during the read, and the result may be too old to keep.
    if (cache.fresh === fresh) Object.assign(cache, { hosts, fresh: new Set(cells()) });
    return hosts;
  } finally {
    cache.reading = undefined;
  }
}

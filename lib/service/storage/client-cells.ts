import { sql } from "drizzle-orm";
import type pg from "pg";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { processWide } from "../../kit/memoize.ts";
import { keepListening } from "../../kit/wake-loop.ts";
import { type Cell, cells, currentCell, firstCell, hasSeveralCells, inCell } from "../cells.ts";
import { forgetHosts } from "./cell-addresses.ts";
import { channels, listenOn } from "./channels.ts";
import { type Db, database, inTransaction, servicePool } from "./database.ts";

// The directory of all cells' clients, in the first cell's schema. Every client is in it, even with only one cell, so that
// cells can be added at any time.

// The whole directory. Otherwise response times would tell known ids from unknown ones (Decision D2).
const known = processWide("service.client_cells", () => new Map<string, Cell>());

/** A client's cell; undefined if it's unknown, which costs a statement, as a known one's credentials do. */
export async function findCellOfClient(clientId: string): Promise<Cell | undefined> {
  if (!hasSeveralCells()) return firstCell;
  return known().get(clientId) ?? readCellOfClient(clientId);
}

/** Runs `work` in a client's cell. For an unknown client that's the first cell, which won't find it. */
export async function inCellOfClient<T>(clientId: string | undefined, work: () => Promise<T>): Promise<T> {
  const cell = clientId === undefined ? undefined : await findCellOfClient(clientId);
  return inCell(cell ?? firstCell, work);
}

/** The cell for a new client: the one with the fewest clients, unless its id is already in the directory. */
export async function chooseCell(clientId: string): Promise<Cell> {
  if (!hasSeveralCells()) return firstCell;
  const existing = await findCellOfClient(clientId);
  if (existing !== undefined) return existing;
  const { rows } = await inCell(firstCell, () =>
    database().execute<{ cell: Cell }>(sql`
      select cell from unnest(${sql.param(cells())}::int[]) as cell
      order by (select count(*) from public.client_cells c where c.cell = cell.cell), cell limit 1`),
  );
  return rows[0]?.cell ?? firstCell;
}

/**
 * Adds a client of the current cell to the directory. False if it lives in another. Waits for a transaction that is adding
 * it. Only the first cell's entry is part of `tx`: any other may remain without its client, for a later creation. So a dry run
 * adds none.
 */
export async function insertClientCell(
  tx: Db,
  clientId: string,
  { isDryRun }: { isDryRun: boolean },
): Promise<boolean> {
  const cell = currentCell();
  const insert = async (directory: Db): Promise<boolean> => {
    const { rowCount } = await directory.execute(sql`
      insert into public.client_cells (client_id, cell) values (${clientId}, ${cell}) on conflict (client_id) do nothing`);
    if (rowCount === 1) {
      await directory.execute(sql`select pg_notify(${channels.clientCells}, ${`${cell} ${clientId}`})`);
      return true;
    }
    return (await findEntry(directory, clientId)) === cell;
  };
  if (cell === firstCell) return insert(tx);
  return inCell(firstCell, async () => {
    if (!isDryRun) return inTransaction(insert);
    return ((await findEntry(database(), clientId)) ?? cell) === cell;
  });
}

async function findEntry(directory: Db, clientId: string): Promise<Cell | undefined> {
  const { rows } = await directory.execute<{ cell: Cell }>(
    sql`select cell from public.client_cells where client_id = ${clientId}`,
  );
  return rows[0]?.cell;
}

/** Adds clients of the current cell that the directory lost, because the first cell was restored to an earlier time. */
export async function insertMissingClientCells(): Promise<void> {
  const cell = currentCell();
  // It's restored together with the directory.
  if (cell === firstCell) return;
  const { rows: clients } = await database().execute<{ id: string }>(sql`select id from clients`);
  const ids = sql.param(clients.map(({ id }) => id));
  const { rowCount } = await inCell(firstCell, () =>
    database().execute(sql`
      insert into public.client_cells (client_id, cell) select unnest(${ids}::text[]), ${cell}
      on conflict (client_id) do nothing`),
  );
  if (rowCount) log().warn({ cell, count: rowCount }, "the directory had lost clients of this cell");
}

/** Keeps this process's copy of the directory up to date until `stop`. */
export async function followClientCells(): Promise<{ stop: () => Promise<void> }> {
  if (!hasSeveralCells()) return { stop: async () => {} };
  await loadDirectory();
  let loading = Promise.resolve();
  return keepListening(
    { name: "client directory", ...inCell(firstCell, () => listenOn(channels.clientCells)) },
    {
      onConnect: () => {
        forgetHosts();
        loading = loadDirectory().catch((error: unknown) => {
          log().warn({ error: describeError(error) }, "the directory of clients could not be read");
        });
      },
      // After a load in progress, which may have read an older entry.
      onNotify: (entry) => void loading.then(() => applyEntry(entry)),
    },
  );
}

/** Sent instead of an entry after a cell has moved to another node. */
export const cellsMoved = "moved";

function applyEntry(entry: string): void {
  if (entry === cellsMoved) forgetHosts();
  const [, cell, clientId] = /^(\d+) (.+)$/s.exec(entry) ?? [];
  if (cell && clientId) known().set(clientId, Number(cell));
}

/** Throws if the directory names a cell beyond SERVICE_CELLS. `home` is the first cell's database. */
export async function requireServedCells(
  home: Pick<pg.Pool, "query"> = inCell(firstCell, servicePool),
  served: readonly Cell[] = cells(),
): Promise<void> {
  const { rows } = await home.query<{ newest: Cell | null }>("select max(cell) as newest from public.client_cells");
  const newest = rows[0]?.newest ?? firstCell;
  if (newest > served.length) {
    throw new Error(
      `SERVICE_CELLS is ${served.length}, but there are clients in cell ${newest}: set it to ${newest} or more.`,
    );
  }
}

async function loadDirectory(): Promise<void> {
  const { rows } = await inCell(firstCell, () =>
    database().execute<{ id: string; cell: Cell }>(sql`select client_id as id, cell from public.client_cells`),
  );
  for (const { id, cell } of rows) known().set(id, cell);
}

async function readCellOfClient(clientId: string): Promise<Cell | undefined> {
  const cell = await inCell(firstCell, () => findEntry(database(), clientId));
  if (cell !== undefined) known().set(clientId, cell);
  return cell;
}

import pg from "pg";
import { migrateDatabase, withoutLimits } from "../../kit/migrate-database.ts";
import { journalOf } from "../../kit/migrations.ts";
import { writableAddress } from "../../kit/postgres.ts";
import { type Cell, firstCell, schemaOf } from "../cells.ts";
import { addressOfCell, readCellHosts } from "./cell-addresses.ts";
import { migrationsFolder } from "./database.ts";

/**
 * Migrates each cell to this version's schema, on its node. `url` is the first cell's database. Calls `onFailure`, which may
 * throw, for cells whose migration fails; without it, and for the first cell, throws.
 */
export async function migrateCells(
  url: string,
  cells: readonly Cell[],
  onFailure = (_cell: Cell, error: unknown): void => {
    throw error;
  },
): Promise<void> {
  const home = await writableAddress(url);
  await migrateDatabase(home, migrationsFolder);
  const others = cells.filter((cell) => cell !== firstCell);
  if (others.length === 0) return;
  const hosts = await withClient(home, readCellHosts);
  for (const cell of others) {
    try {
      const address = await writableAddress(addressOfCell(cell, url, hosts));
      await migrateDatabase(address, migrationsFolder, { schema: schemaOf(cell) });
    } catch (error) {
      onFailure(cell, error);
    }
  }
}

/**
 * Throws a one-sentence error if the database, or one of these cells on its node, was never migrated. Doesn't examine nodes
 * that can't be reached.
 */
export async function requireMigratedCells(url: string, cells: readonly Cell[]): Promise<void> {
  const hosts = await withClient(await writableAddress(url), async (home) => {
    if ((await findUnmigrated(home, [firstCell])) === undefined) return readCellHosts(home);
    throw new Error("The database is empty: start the service or run `npm run migrate -- service` first.");
  });
  for (const [address, cellsThere] of Map.groupBy(cells, (cell) => addressOfCell(cell, url, hosts))) {
    const missing = await writableAddress(address)
      .then((node) => withClient(node, (client) => findUnmigrated(client, cellsThere)))
      .catch(() => undefined);
    if (missing !== undefined) {
      throw new Error(
        `SERVICE_CELLS names cell ${missing}, which the database does not have: run \`npm run migrate -- service\` first.`,
      );
    }
  }
}

async function findUnmigrated(node: pg.Client, cells: readonly Cell[]): Promise<Cell | undefined> {
  const { rows } = await node.query<{ cell: Cell }>(
    "select cell from unnest($1::int[], $2::text[]) as own (cell, journal) where to_regclass(journal) is null order by cell",
    [cells, cells.map((cell) => journalOf(schemaOf(cell)).done)],
  );
  return rows[0]?.cell;
}

/** A connection without time limits, for operators' work. */
export async function withClient<T>(address: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const connectionString = withoutLimits(address).href;
  const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000, ...keepAlive });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

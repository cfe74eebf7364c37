import type pg from "pg";
import { type Cell, schemaOf } from "../cells.ts";

// Where Citus keeps the cells. Its catalog is in the coordinator's database.

/** A node's address (`host:port`), and the cells on it. */
export type CellNode = { address: string; cells: Cell[] };

type Caller = Pick<pg.ClientBase, "query">;

/** The nodes that may hold cells. Throws a sentence when the database isn't on Citus. */
export async function listCellNodes(caller: Caller, cells: readonly Cell[]): Promise<CellNode[]> {
  const { rowCount } = await caller.query("select from pg_extension where extname = 'citus'");
  if (rowCount === 0) {
    throw new Error("This database isn't on Citus, so its cells can't move. See docs/scaling.md.");
  }
  const { rows: nodes } = await caller.query<{ address: string }>(`
    select nodename || ':' || nodeport as address from pg_dist_node
    where isactive and shouldhaveshards and noderole = 'primary' order by nodeid`);
  const { rows: places } = await caller.query<{ schema: string; address: string }>(`
    select distinct c.schema_name::text as schema, s.nodename || ':' || s.nodeport as address
    from citus_schemas c join citus_shards s using (colocation_id)`);
  return nodes.map(({ address }) => {
    const schemas = places.filter((place) => place.address === address).map(({ schema }) => schema);
    return { address, cells: cells.filter((cell) => schemas.includes(schemaOf(cell))) };
  });
}

/**
 * Moves a cell with its clients to another node beside the running service: Citus copies it, catches up by logical replication,
 * and blocks its writes only to switch over. Returns the node it was on. Throws a sentence when it can't, and nothing changes.
 */
export async function moveCell(
  caller: Caller,
  { cell, to, cells }: { cell: Cell; to: string; cells: readonly Cell[] },
): Promise<string> {
  const nodes = await listCellNodes(caller, cells);
  const from = nodes.find((node) => node.cells.includes(cell))?.address;
  if (!cells.includes(cell)) throw new Error(`There is no cell ${cell}: SERVICE_CELLS is ${cells.length}.`);
  if (from === undefined) {
    throw new Error(`Cell ${cell} isn't distributed: its schema ${schemaOf(cell)} stays on the coordinator.`);
  }
  if (!nodes.some(({ address }) => address === to)) {
    throw new Error(
      `No node for cells has the address ${to}. There is ${nodes.map(({ address }) => address).join(", ")}.`,
    );
  }
  if (from === to) throw new Error(`Cell ${cell} is already on ${to}.`);
  const { host, port } = readNode(to);
  await caller.query("select citus_schema_move($1::regnamespace, $2::text, $3::int)", [schemaOf(cell), host, port]);
  return from;
}

function readNode(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}

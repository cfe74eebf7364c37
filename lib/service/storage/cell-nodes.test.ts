import { expect, test } from "vitest";
import { hostsOf } from "../../kit/database-address.ts";
import { cellsOf } from "../cells.ts";
import { serviceConfig } from "../config.ts";
import { writingLock } from "../sandbox/storage/events.ts";
import { listCellNodes, moveCell } from "./cell-nodes.ts";
import { migrateCells, withClient } from "./migrate-cells.ts";

test("a move isn't refused while a sandbox writes events", async () => {
  const { databaseUrl: url } = serviceConfig();
  await migrateCells(url, cellsOf(2));
  await withClient(url, async (writer) => {
    await writer.query("select pg_advisory_lock($1)", [writingLock]);
    const to = hostsOf(url);
    await expect(moveCell({ url, cell: 2, to, cells: [1, 2] })).rejects.toThrow(`Cell 2 is already on ${to}.`);
  });
});

test("the list has every cell that holds clients or has moved, even beyond SERVICE_CELLS", async () => {
  const { databaseUrl: url } = serviceConfig();
  const nodes = await withClient(url, async (home) => {
    await home.query("insert into client_cells (client_id, cell) values ('a client of cell 3', 3)");
    await home.query("insert into cell_nodes (cell, hosts) values (4, 'db-4:5432')");
    return listCellNodes(home, url, cellsOf(1));
  });
  expect(nodes.map(({ hosts, cells }) => [hosts, cells])).toEqual([
    [hostsOf(url), [1, 3]],
    ["db-4:5432", [4]],
  ]);
});

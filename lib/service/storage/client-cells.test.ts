import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServiceApp } from "../../../server/service-app.ts";
import { catalogFile, readCatalog } from "../../kit/database-catalog.ts";
import { migrateDatabase } from "../../kit/migrate-database.ts";
import { cells, currentCell, firstCell, inCell, inCellWhere, schemaOf } from "../cells.ts";
import { serviceConfig } from "../config.ts";
import { createTestClient, type TestClient } from "../testing/clients.ts";
import { callOperator, changeByOperator, operatorSettings } from "../testing/operator.ts";
import { useTwoCells } from "../testing/two-cells.ts";
import { followClientCells } from "./client-cells.ts";
import { database, migrationsFolder, servicePool } from "./database.ts";

let directory: { stop: () => Promise<void> };
beforeAll(async () => {
  Object.assign(process.env, operatorSettings);
  await useTwoCells();
  directory = await followClientCells();
});
afterAll(() => directory.stop());

const common = () => inCell(firstCell, servicePool);
const list = ({ call }: TestClient) => call("GET", "/sandbox/client");

test("a statement without a cell is refused, rather than run in the wrong one", () => {
  expect(() => database()).toThrow("No cell was chosen");
  expect(inCell(2, currentCell)).toBe(2);
});

test("a lookup without a client id finds the owning cell, even while another cell is unavailable", async () => {
  const has = (cell: number) => async () => {
    if (currentCell() !== cell) throw new Error("gone");
    return true;
  };
  const work = async () => currentCell();
  expect(await inCellWhere(has(2), work)).toBe(2);
  expect(await inCellWhere(async () => false, work)).toBe(firstCell);
  await expect(
    inCellWhere(async () => {
      if (currentCell() === 2) throw new Error("gone");
      return false;
    }, work),
  ).rejects.toThrow("gone");
});

test("a client is served as soon as it's created in any cell, and in another cell once the directory says so", async () => {
  const client = await inCell(2, createTestClient);
  expect((await list(client)).status).toBe(200);
  const move = (cell: string) =>
    common().query(
      `with moved as (update client_cells set cell = $2::int where client_id = $1 returning client_id)
       select pg_notify('service_client_cells', $2 || ' ' || client_id) from moved`,
      [client.clientId, cell],
    );
  await move("1");
  await expect.poll(async () => (await list(client)).status).toBe(401);
  await move("2");
  await expect.poll(async () => (await list(client)).status).toBe(200);
});

test("an unknown client and a wrong secret take one statement each, in every cell", async () => {
  const clients = await Promise.all(cells().map((cell) => inCell(cell, createTestClient)));
  for (const client of clients) await list(client);
  const signIns = [
    ...clients.map((client) => ({ ...client, clientSecret: "wrong" })),
    ...clients.map((client) => ({ ...client, clientId: `${client.clientId}-unknown` })),
  ];
  for (const { clientId, clientSecret } of signIns) {
    let statements = 0;
    const count = () => void statements++;
    for (const cell of cells()) inCell(cell, servicePool).on("acquire", count);
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
    const { status } = await (clients[0] as TestClient).call("GET", "/sandbox/client", { authorization });
    for (const cell of cells()) inCell(cell, servicePool).off("acquire", count);
    expect([status, statements], clientId).toEqual([401, 1]);
  }
});

test("new clients go to the cell with the fewest", async () => {
  const { call } = await inCell(1, createTestClient);
  for (let created = 0; created < 8; created++) expect((await call("POST", "/sandbox/clients")).status).toBe(201);
  const { rows } = await common().query("select count(*)::int as count from client_cells group by cell");
  const [first, two] = rows.map(({ count }) => count);
  expect(Math.abs(first - two)).toBeLessThanOrEqual(1);
});

const creation = (client_id: string) => ({
  by: "dana",
  client_id,
  name: "Shop",
  redirect_uris: ["https://shop.example/callback"],
});

test("a client id is unique across cells, even with concurrent creations", async () => {
  for (let round = 0; round < 10; round++) {
    const id = `twice-${round}`;
    const newClients = await Promise.all(
      Array.from({ length: 4 }, () => callOperator("POST", "/clients", { body: creation(id) })),
    );
    expect(newClients.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
    const { rows } = await common().query(
      "select (select count(*) from clients where id = $1) + (select count(*) from cell_2.clients where id = $1) as count",
      [id],
    );
    expect(Number(rows[0].count)).toBe(1);
  }
});

test("a creation that failed after its directory entry can be retried, in the entry's cell", async () => {
  for (const cell of cells()) {
    const id = `entered-${cell}`;
    await common().query("insert into client_cells values ($1, $2)", [id, cell]);
    expect((await callOperator("POST", "/clients", { body: creation(id) })).status).toBe(201);
    const { rowCount } = await common().query(`select from ${schemaOf(cell)}.clients where id = $1`, [id]);
    expect(rowCount).toBe(1);
  }
});

test("a dry run of a creation keeps no directory entry, and still refuses an id of any cell", async () => {
  const dryRun = (id: string) => callOperator("POST", "/clients", { body: { ...creation(id), dry_run: true } });
  // So that the next client would live in cell 2.
  await common().query("insert into client_cells select 'filler-' || n, 1 from generate_series(1, 100) n");
  expect((await dryRun("dry-run")).status).toBe(201);
  await common().query("delete from client_cells where client_id like 'filler-%'");
  expect((await common().query("select from client_cells where client_id = 'dry-run'")).rowCount).toBe(0);
  for (const cell of cells()) {
    const { clientId } = await inCell(cell, createTestClient);
    expect((await dryRun(clientId)).status).toBe(400);
  }
});

test("operators read and change clients of all cells in one list", async () => {
  const ids: string[] = [];
  for (let next: unknown; next !== null; ) {
    const { json } = await callOperator("GET", `/clients?limit=3${next ? `&starting_after=${next}` : ""}`);
    ids.push(...(json["clients"] as { client_id: string }[]).map(({ client_id }) => client_id));
    next = json["next"];
  }
  const { rows } = await common().query(`select client_id as id from client_cells order by client_id collate "C"`);
  expect(ids).toEqual(rows.map(({ id }) => id));
  const client = await inCell(2, createTestClient);
  expect((await changeByOperator(client.clientId, "disable")).status).toBe(200);
  expect((await callOperator("GET", `/clients/${client.clientId}`)).json).toMatchObject({
    changes: [{ action: "disable" }],
  });
  expect((await list(client)).status).toBe(401);
});

test("each cell has the whole catalog, and a process won't start if a cell lacks part of it", async () => {
  const committed = readFileSync(catalogFile(migrationsFolder), "utf8").trimEnd().split("\n");
  expect(await readCatalog(inCell(2, servicePool), schemaOf(2))).toEqual(committed);
  await common().query("alter table cell_2.entries disable trigger entries_immutable");
  try {
    const problem = /\(schema cell_2\) does not match its migrations: trigger entries_immutable/;
    await expect(startServiceApp(new Set(["service-api"]))).rejects.toThrow(problem);
  } finally {
    await common().query("alter table cell_2.entries enable trigger entries_immutable");
  }
});

test("a start as the owner creates a missing schema; a start as another role says that the owner must", async () => {
  const role = `cells_${process.pid}`;
  const url = new URL(serviceConfig().databaseDirectUrl);
  await common().query(`create role ${role}; grant usage on schema drizzle to ${role}`);
  try {
    url.searchParams.set("options", `-c role=${role}`);
    const start = migrateDatabase(url.href, migrationsFolder, { schema: "cell_9" });
    await expect(start).rejects.toThrow(
      "The schema cell_9 is missing and cannot be created: permission denied for database",
    );
    await expect(start).rejects.toThrow("Run `npm run migrate` as the database's owner first.");
  } finally {
    await common().query(`drop owned by ${role}; drop role ${role}`);
  }
});

test("a start enters clients that the directory lost when the first cell was restored", async () => {
  const clients = [await inCell(2, createTestClient), await inCell(2, createTestClient)];
  const ids = clients.map(({ clientId }) => clientId);
  await common().query("delete from client_cells where client_id = any ($1)", [ids]);
  await startServiceApp(new Set(["service-api"]));
  const { rows } = await common().query("select cell from client_cells where client_id = any ($1)", [ids]);
  expect(rows).toEqual([{ cell: 2 }, { cell: 2 }]);
});

test("a start with fewer cells than hold clients is refused", async () => {
  await common().query("insert into client_cells values ('elsewhere', 3)");
  try {
    await expect(startServiceApp(new Set(["service-api"]))).rejects.toThrow(
      "SERVICE_CELLS is 2, but there are clients in cell 3: set it to 3 or more.",
    );
  } finally {
    await common().query("delete from client_cells where client_id = 'elsewhere'");
  }
});

// Last, because it ends the pools.
test("a process with API and workers starts with all cells, stays ready while one is unavailable, and stops", async () => {
  const started = await startServiceApp(new Set(["service-api", "service-worker"]));
  await expect.poll(() => started?.isReady()).toBe(true);
  await common().query("alter schema cell_2 rename to cell_2_gone");
  try {
    await expect.poll(() => started?.isReady()).toBe(true);
  } finally {
    await common().query("alter schema cell_2_gone rename to cell_2");
  }
  await started?.stop();
  for (const cell of cells()) expect(inCell(cell, servicePool).ended).toBe(true);
});

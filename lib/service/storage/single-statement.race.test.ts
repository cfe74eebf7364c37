import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openPool } from "../../kit/postgres.ts";
import { OutcomeUnknownError, runSingleStatement } from "../../kit/transaction.ts";
import { type DatabaseProxy, type Fate, startDatabaseProxy } from "../testing/database-proxy.ts";
import { servicePool } from "./database.ts";

let proxy: DatabaseProxy;
let pool: ReturnType<typeof openPool>;

beforeAll(async () => {
  proxy = await startDatabaseProxy();
  pool = openPool(proxy.url, { connectionsMax: 4 });
  await servicePool().query("create table marks (mark uuid primary key)");
});
beforeEach(() => {
  proxy.judge(() => "pass");
  proxy.takeConnections(true);
});
afterAll(async () => {
  await proxy.stop();
  await pool.end();
});

/** Writes one row after `seconds`, by one statement through the proxy, and returns how the outcome was found. */
function write(mark: string, { seconds = 0, through = pool, onLost = () => {} } = {}): Promise<string> {
  return runSingleStatement(through, {
    onLost,
    run: async (connection) => {
      await connection.query("insert into marks select $1 from pg_sleep($2)", [mark, seconds]);
      return "answered";
    },
    readBack: async (connection) => {
      const { rowCount } = await connection.query("select from marks where mark = $1 for key share", [mark]);
      return rowCount === 1 ? "found" : "not found";
    },
  });
}

async function isWritten(mark: string): Promise<boolean> {
  const { rowCount } = await servicePool().query("select from marks where mark = $1", [mark]);
  return rowCount === 1;
}

/** The transactions that wrote a mark's rows. */
async function versionOf(mark: string): Promise<unknown[]> {
  return (await servicePool().query("select xmin::text from marks where mark = $1", [mark])).rows;
}

function cutAtInsert(fate: Fate, then: () => void = () => {}): void {
  proxy.judge((message) => {
    if (!message.toString("latin1").includes("insert into marks")) return "pass";
    proxy.judge(() => "pass");
    then();
    return fate;
  });
}

async function backendsThatInsert(): Promise<number> {
  const { rows } = await servicePool().query<{ n: number }>(
    "select count(*)::int as n from pg_stat_activity where query like 'insert into marks select%' and state = 'active'",
  );
  return rows[0]?.n ?? 0;
}

test("a statement whose response is lost is detected by its rows, and the loss is reported", async () => {
  let losses = 0;
  const onLost = () => losses++;
  for (let round = 0; round < 10; round++) {
    cutAtInsert("cut after");
    expect(await write(randomUUID(), { onLost })).toBe("found");
  }
  expect(losses).toBe(10);
  expect(await write(randomUUID(), { onLost })).toBe("answered");
  expect(losses).toBe(10);
});

test("a statement that never arrived is retried", async () => {
  const mark = randomUUID();
  cutAtInsert("cut before");
  expect(await write(mark)).toBe("found");
  expect(await isWritten(mark)).toBe(true);
});

test("a statement that arrives after its retry changes nothing", async () => {
  const mark = randomUUID();
  cutAtInsert("cut and delay");
  expect(await write(mark)).toBe("found");
  const before = await versionOf(mark);
  await proxy.deliverDelayed();
  expect(await versionOf(mark)).toEqual(before);
});

test("a statement that still runs when its connection breaks and its retry write one row", async () => {
  const mark = randomUUID();
  const outcome = write(mark, { seconds: 1 });
  await expect.poll(backendsThatInsert).toBe(1);
  proxy.cutAll();
  expect(await outcome).toBe("found");
  await expect.poll(backendsThatInsert).toBe(0);
  expect(await isWritten(mark)).toBe(true);
});

test("while the database is unreachable the outcome is reported as unknown", async () => {
  cutAtInsert("cut after", () => proxy.takeConnections(false));
  await expect(write(randomUUID())).rejects.toBeInstanceOf(OutcomeUnknownError);
});

test("a statement that got no connection is reported as not written", async () => {
  const mark = randomUUID();
  const unconnected = openPool(proxy.url, { connectionsMax: 1 });
  proxy.takeConnections(false);
  const error = await write(mark, { through: unconnected }).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(OutcomeUnknownError);
  expect(await isWritten(mark)).toBe(false);
  await unconnected.end();
});

test("a statement that the database rejects wrote nothing and is not read back", async () => {
  const mark = randomUUID();
  await write(mark);
  await expect(write(mark)).rejects.toThrow("duplicate key");
  expect(await write(randomUUID())).toBe("answered");
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openPool, requireTimeLimits, runPrepared } from "../../kit/postgres.ts";
import { runSingleStatement } from "../../kit/transaction.ts";
import { serviceConfig } from "../config.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../testing/database-proxy.ts";
import { servicePool } from "./database.ts";

// The differences behind a pooler, without one; the drill runs PgBouncer itself (docs/operations.md).

let proxy: DatabaseProxy;
let pooled: ReturnType<typeof openPool>;
let sent: string[];

beforeAll(async () => {
  proxy = await startDatabaseProxy();
  pooled = openPool(proxy.url, { connectionsMax: 1, isPooled: true });
  await servicePool().query("create table marks (mark uuid primary key)");
});
beforeEach(() => {
  sent = [];
  proxy.judge((message) => {
    sent.push(message.toString("latin1"));
    return "pass";
  });
});
afterAll(async () => {
  await proxy.stop();
  await pooled.end();
});

const named = { name: "one_and_one", text: "select 1 + $1::int as sum" };

async function preparedOn(pool: typeof pooled): Promise<number> {
  await runPrepared(pool, named, [1]);
  const { rows } = await pool.query<{ n: number }>("select count(*)::int as n from pg_prepared_statements");
  return rows[0]?.n ?? -1;
}

test("statements are named, except behind a pooler", async () => {
  const plain = openPool(proxy.url, { connectionsMax: 1 });
  expect(await preparedOn(plain)).toBe(1);
  expect(await preparedOn(pooled)).toBe(0);
  await plain.end();
});

test("connections set time limits, except behind a pooler", async () => {
  const opened = (isPooled: boolean) => openPool(proxy.url, { connectionsMax: 1, isPooled });
  const [plain, pooled] = [opened(false), opened(true)];
  await plain.query("select 1");
  expect(sent.join("")).toMatch(/lock_timeout.*statement_timeout|statement_timeout.*lock_timeout/s);
  sent = [];
  await pooled.query("select 1");
  expect(sent.join("")).toContain("select 1");
  expect(sent.join("")).not.toContain("timeout");
  await Promise.all([plain.end(), pooled.end()]);
});

test("a process behind a pooler does not start without the role's time limits, and its error has the statements", async () => {
  const refused = await requireTimeLimits(pooled).catch((error: unknown) => String(error));
  for (const limit of [
    "lock_timeout = 5000",
    "statement_timeout = 15000",
    "idle_in_transaction_session_timeout = 4000",
  ]) {
    expect(refused).toMatch(new RegExp(`alter role "\\w+" set ${limit};`));
  }
});

test("a process behind a pooler starts with any time limits of the role", async () => {
  const limits = ["lock_timeout=1", "statement_timeout=2", "idle_in_transaction_session_timeout=3"];
  const options = encodeURIComponent(limits.map((limit) => `-c ${limit}s`).join(" "));
  const limited = openPool(`${serviceConfig().databaseUrl}?options=${options}`, { connectionsMax: 1, isPooled: true });
  await expect(requireTimeLimits(limited)).resolves.toBeUndefined();
  await limited.end();
});

test("behind a pooler a single statement needs no extra messages, and a lost response is resolved by its row", async () => {
  const mark = randomUUID();
  const write = () =>
    runSingleStatement(pooled, {
      run: async (connection) => {
        await connection.query("insert into marks values ($1)", [mark]);
        return "answered";
      },
      readBack: async (connection) => {
        const { rowCount } = await connection.query("select from marks where mark = $1 for key share", [mark]);
        return rowCount === 1 ? "found" : "not found";
      },
    });
  await pooled.query("select 1");
  sent = [];
  let cuts = 0;
  proxy.judge((message) => {
    sent.push(message.toString("latin1"));
    if (cuts > 0) return "pass";
    cuts += 1;
    return "cut after";
  });
  expect(await write()).toBe("found");
  expect(sent[0]).toContain("insert into marks");
});

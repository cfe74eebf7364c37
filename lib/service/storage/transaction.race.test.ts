import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openPool } from "../../kit/postgres.ts";
import { OutcomeUnknownError, runSingleStatement, runTransaction } from "../../kit/transaction.ts";
import { type DatabaseProxy, type Fate, startDatabaseProxy } from "../testing/database-proxy.ts";
import { holdRows } from "../testing/hold-rows.ts";
import {
  blockCommits,
  countWaitingCommits,
  endWaitingCommits,
  type WaitingCommits,
  waitingUrl,
} from "../testing/waiting-commits.ts";
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

/** Writes one row in a transaction through the proxy, and proves it by that row. */
function write(mark: string, through = pool): Promise<"written"> {
  return runTransaction(
    through,
    async (connection) => {
      await connection.query("insert into marks values ($1)", [mark]);
      return "written" as const;
    },
    {
      wasCommitted: async (connection) => {
        const inserted = await connection.query("insert into marks values ($1) on conflict do nothing", [mark]);
        if (inserted.rowCount === 1) return false;
        await connection.query("select from marks where mark = $1 for key share", [mark]);
        return true;
      },
    },
  );
}

async function isWritten(mark: string): Promise<boolean> {
  const { rowCount } = await servicePool().query("select from marks where mark = $1", [mark]);
  return rowCount === 1;
}

function cutAtCommit(fate: Fate, then: () => void = () => {}): void {
  proxy.judge((message) => {
    if (!message.toString("latin1").includes("commit")) return "pass";
    proxy.judge(() => "pass");
    then();
    return fate;
  });
}

describe("a connection that breaks at COMMIT", () => {
  test("before its response: a commit is reported as done, ten times out of ten", async () => {
    for (let round = 0; round < 10; round++) {
      const mark = randomUUID();
      cutAtCommit("cut after");
      expect(await write(mark)).toBe("written");
      expect(await isWritten(mark)).toBe(true);
    }
  });

  test("before it arrived: nothing was committed, which is known once PostgreSQL has ended the idle transaction", async () => {
    const mark = randomUUID();
    cutAtCommit("cut before");
    await expect(write(mark)).rejects.toThrow(/Connection terminated|ECONNRESET/);
    expect(await isWritten(mark)).toBe(false);
  });

  test("and it arrives while the proof waits: reported as done", async () => {
    const mark = randomUUID();
    const watched = await holdRows("select", []);
    cutAtCommit("cut and delay");
    const outcome = write(mark);
    await watched.waiters(1);
    await proxy.deliverDelayed();
    expect(await outcome).toBe("written");
    expect(await isWritten(mark)).toBe(true);
    await watched.release();
  });

  test("and the database is unreachable: reported as unknown", async () => {
    const mark = randomUUID();
    cutAtCommit("cut after", () => proxy.takeConnections(false));
    await expect(write(mark)).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(await isWritten(mark)).toBe(true);
  });

  test("and there is no proof: reported as unknown", async () => {
    cutAtCommit("cut after");
    const outcome = runTransaction(pool, (connection) =>
      connection.query("insert into marks values ($1)", [randomUUID()]),
    );
    await expect(outcome).rejects.toBeInstanceOf(OutcomeUnknownError);
  });

  test("of a read-only transaction: its result is returned", async () => {
    cutAtCommit("cut after");
    const work = async (connection: pg.PoolClient) => (await connection.query("select 1 as one")).rows;
    expect(await runTransaction(pool, work, { isReadOnly: true })).toEqual([{ one: 1 }]);
  });
});

describe("a COMMIT that waits for an unresponsive standby", () => {
  let careful: ReturnType<typeof openPool>;
  let commits: WaitingCommits;
  beforeAll(() => {
    careful = openPool(waitingUrl(proxy.url), { connectionsMax: 4 });
  });
  beforeEach(async () => {
    commits = await blockCommits();
  });
  afterEach(() => commits.release());
  afterAll(() => careful.end());

  test("and whose connection breaks: reported as unknown, and not canceled", async () => {
    const mark = randomUUID();
    const outcome = write(mark, careful);
    await expect.poll(countWaitingCommits).toBe(1);
    const cutAt = performance.now();
    proxy.cutAll();
    await expect(outcome).rejects.toBeInstanceOf(OutcomeUnknownError);
    // After 5 s, and not only when its proof's own COMMIT times out.
    expect(performance.now() - cutAt).toBeLessThan(18_000);
    expect(await isWritten(mark)).toBe(false);
    await commits.release();
    await expect.poll(() => isWritten(mark)).toBe(true);
  });

  test("and whose backend was terminated: committed only on this server, and not reported as done", async () => {
    const mark = randomUUID();
    const outcome = write(mark, careful);
    await expect.poll(countWaitingCommits).toBe(1);
    await endWaitingCommits();
    await expect(outcome).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(await isWritten(mark)).toBe(true);
  });

  test("of a single statement: not reported as done either", async () => {
    const mark = randomUUID();
    const outcome = runSingleStatement(careful, {
      run: async (connection) => {
        await connection.query("insert into marks values ($1)", [mark]);
        return "answered";
      },
      readBack: async (connection) => {
        const { rowCount } = await connection.query("select from marks where mark = $1 for key share", [mark]);
        return rowCount === 1 ? "found" : "not found";
      },
    });
    await expect.poll(countWaitingCommits).toBe(1);
    await endWaitingCommits();
    await expect(outcome).rejects.toBeInstanceOf(OutcomeUnknownError);
  });
});

describe("a transaction", () => {
  test("whose backend is terminated at any moment frees its connection: the pool survives a hundred of them", async () => {
    const errors: unknown[] = [];
    for (let round = 0; round < 100; round++) {
      await runTransaction(pool, async (connection) => {
        await connection.query("select pg_terminate_backend(pg_backend_pid())");
      }).catch((error: unknown) => errors.push(error));
    }
    expect(errors).toHaveLength(100);
    expect(await write(randomUUID())).toBe("written");
    expect(pool.totalCount).toBeLessThanOrEqual(4);
    expect(pool.waitingCount).toBe(0);
  });

  test("whose connection breaks while idle does not end the process", async () => {
    const failed = runTransaction(pool, async (connection) => {
      const { rows } = await connection.query<{ pid: number }>("select pg_backend_pid() as pid");
      const ended = new Promise((resolve) => connection.once("end", resolve));
      await servicePool().query("select pg_terminate_backend($1)", [rows[0]?.pid]);
      await ended;
      await connection.query("select 1");
    });
    await expect(failed).rejects.toThrow();
    expect(await write(randomUUID())).toBe("written");
  });

  test("that lost a deadlock is retried, and both succeed", async () => {
    const [left, right] = [randomUUID(), randomUUID()];
    await write(left);
    await write(right);
    let met = 0;
    const meet = Promise.withResolvers<void>();
    const cross = (first: string, second: string) =>
      runTransaction(pool, async (connection) => {
        await connection.query("select from marks where mark = $1 for update", [first]);
        if (++met === 2) meet.resolve();
        await meet.promise;
        await connection.query("select from marks where mark = $1 for update", [second]);
        return "done";
      });
    expect(await Promise.all([cross(left, right), cross(right, left)])).toEqual(["done", "done"]);
    expect(met).toBeGreaterThanOrEqual(3);
  });

  test("that keeps conflicting is tried three times; other failures aren't retried", async () => {
    for (const [code, tries] of [
      ["40001", 3],
      ["40P01", 3],
      ["23505", 1],
    ] as const) {
      let tried = 0;
      const failed = runTransaction(pool, async (connection) => {
        tried++;
        await connection.query(`do $$ begin raise sqlstate '${code}'; end $$`);
      });
      await expect(failed).rejects.toMatchObject({ code });
      expect(tried, code).toBe(tries);
    }
  });

  test("waits for a lock no longer than its own limit, which ends with it", async () => {
    const mark = randomUUID();
    await write(mark);
    const held = await holdRows("select from marks where mark = $1 for update", [mark]);
    const startedAt = performance.now();
    const outcome = runTransaction(
      pool,
      (connection) => connection.query("select from marks where mark = $1 for update", [mark]),
      { lockTimeoutMs: 50 },
    );
    await expect(outcome).rejects.toMatchObject({ code: "55P03" });
    expect(performance.now() - startedAt).toBeLessThan(4500);
    await held.release();
    const { rows } = await pool.query("show lock_timeout");
    expect(rows).toEqual([{ lock_timeout: "5s" }]);
  });

  test("that only reads sees one moment, and can't write", async () => {
    const mark = randomUUID();
    const read = (connection: pg.PoolClient) => connection.query("select from marks where mark = $1", [mark]);
    const counts = await runTransaction(
      pool,
      async (connection) => {
        const before = await read(connection);
        await write(mark, servicePool());
        return [before.rowCount, (await read(connection)).rowCount];
      },
      { isReadOnly: true },
    );
    expect(counts).toEqual([0, 0]);
    const insert = (connection: pg.PoolClient) => connection.query("insert into marks values ($1)", [randomUUID()]);
    await expect(runTransaction(pool, insert, { isReadOnly: true })).rejects.toMatchObject({ code: "25006" });
  });

  test("that ignored a failed statement is not reported as done", async () => {
    const failed = runTransaction(pool, async (connection) => {
      await connection.query("select no_such_column").catch(() => undefined);
      return "done";
    });
    await expect(failed).rejects.toThrow("was ignored");
  });
});

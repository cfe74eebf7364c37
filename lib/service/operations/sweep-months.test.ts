import { beforeAll, beforeEach, expect, test } from "vitest";
import { isLockTimeout } from "../../kit/database-errors.ts";
import { firstIdAt, newId } from "../../kit/ids.ts";
import { servicePool } from "../storage/database.ts";
import { createNextMonth, dropMonthOfDeliveries, monthlyTables } from "../storage/sweep.ts";
import { createTestClient, type TestClient } from "../testing/clients.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { sweep } from "./sweep.ts";

// The database's time can't be moved, so a negative retention makes rows of coming days too old.
const notStopping = new AbortController().signal;
const kept = (deliveryRetentionDays: number) => ({ retention: { deliveryRetentionDays, endedRetentionDays: 30 } });
const dayMs = 86_400_000;

let client: TestClient;

beforeAll(async () => {
  client = await createTestClient();
  await insertDelivery();
  await sweep(notStopping, kept(90));
});

beforeEach(() => query("truncate deliveries, delivery_attempts"));

test("existing rows become a bounded partition, and coming months are created in advance", async () => {
  for (const table of monthlyTables) {
    const months = await listMonths(table);
    const newest = months.at(-1)?.begins ?? new Date(0);
    expect(newest.getTime() - Date.now()).toBeGreaterThan(27 * dayMs);
    expect(newest.getTime() - Date.now()).toBeLessThan(63 * dayMs);
    expect(newest.toISOString()).toMatch(/-01T00:00:00.000Z$/);
    expect(months[0]?.name).toBe(`${table}_first`);
    // Open-ended on both sides, so that no webhook is refused because of its time.
    expect([months[0]?.begins, months.at(-1)?.ends]).toEqual([undefined, undefined]);
    expect(months.slice(1).map(({ begins }) => begins)).toEqual(months.slice(0, -1).map(({ ends }) => ends));
    expect(await createNextMonth(table)).toBeUndefined();
  }
});

test("a webhook and its attempts go into the month of its id, later ones into the newest partition", async () => {
  const [first, second, newest] = await listMonths();
  const [now, soon] = [await insertDelivery(), await insertDelivery({ at: second?.begins })];
  const later = await insertDelivery({ at: new Date(Date.now() + 900 * dayMs) });
  expect([await monthOf(now), await monthOf(soon), await monthOf(later)]).toEqual([
    first?.name,
    second?.name,
    newest?.name,
  ]);
  const attempts = await query<{ month: string }>(
    "select tableoid::regclass::text as month from delivery_attempts order by delivery_id",
  );
  expect(attempts.map(({ month }) => month)).toEqual(
    [first, second, newest].map((month) => month?.name.replace("deliveries", "delivery_attempts")),
  );
});

test("a partition that is written to directly keeps the table's constraints", async () => {
  const { name = "" } = (await listMonths()).at(-1) ?? {};
  const insert = `insert into ${name} (id, client_id, webhook_type, resource_id, body, trace_id, created_at)
    values ('${idAt(new Date(Date.now() + 900 * dayMs))}', 'nobody', 'user_updated', '${newId()}', '', '', now())`;
  await expect(query(insert)).rejects.toThrow(/must be of a client/);
  await expect(query(`update ${name} set client_id = client_id`)).rejects.toThrow(/cannot be changed/);
});

test("no partition has statistics of pending rows, and earlier ones are cleared", async () => {
  const columns = ["is_due", "leased_until_real_at", "next_attempt_real_at", "status"];
  const limited = await query<{ month: string; columns: string[] }>(
    `select attrelid::regclass::text as month, array_agg(attname::text order by attname) as columns from pg_attribute
     where attstattarget = 0 and attrelid in (select month from months_of('deliveries')) group by attrelid`,
  );
  const months = (await listMonths()).map(({ name }) => ({ month: name, columns }));
  expect(limited).toHaveLength(months.length);
  expect(limited).toEqual(expect.arrayContaining(months));

  const collected = async () =>
    (
      await query<{ column: string }>(
        "select distinct attname::text as column from pg_stats where tablename like 'deliveries%' and attname = any ($1)",
        [columns],
      )
    ).map(({ column }) => column);
  const alter = (target: number) =>
    query(`alter table deliveries ${columns.map((column) => `alter ${column} set statistics ${target}`).join(", ")}`);
  await insertDelivery();
  await alter(100);
  await query("analyze deliveries");
  await alter(0);
  expect((await collected()).sort()).toEqual(columns);
  await createNextMonth("deliveries");
  expect(await collected()).toEqual([]);
  await query("analyze deliveries");
  expect(await collected()).toEqual([]);
});

test("creating a month requires only read and write permissions", async () => {
  await query(
    "create role months_test_clerk; grant select, insert, update, delete on all tables in schema public to months_test_clerk",
  );
  const connection = await servicePool().connect();
  try {
    await connection.query("set role months_test_clerk");
    await expect(connection.query("create table a ()")).rejects.toThrow(/permission denied/);
    const { rows } = await connection.query(
      "select divide_by_month('deliveries', now() + interval '2 months') as done",
    );
    expect(rows).toEqual([{ done: expect.stringMatching(/^began deliveries_\d{4}_\d\d$/) }]);
    await connection.query("select id from deliveries");
  } finally {
    connection.release(true);
    await query("drop owned by months_test_clerk; drop role months_test_clerk");
  }
});

test("months that were not created in time are created around existing rows, in steps", async () => {
  const newest = (await listMonths()).at(-1);
  const at = new Date((newest?.begins?.getTime() ?? 0) + 100 * dayMs);
  const late = await insertDelivery({ at });
  const [limited, checked, began] = [await divideAt(at), await divideAt(at), await divideAt(at)];
  expect([limited, checked]).toEqual([`limited ${newest?.name}`, `checked ${newest?.name}`]);
  expect(began).toMatch(/^began deliveries_\d{4}_\d\d$/);
  expect(await monthOf(late)).toBe(newest?.name);
  expect((await listMonths()).at(-1)?.ends).toBeUndefined();
  expect(await query("select conname from pg_constraint where conname = 'before_next_month'")).toEqual([]);
});

test("only one process partitions at a time, and gives up quickly while others read", async () => {
  const newest = (await listMonths()).at(-1);
  const at = new Date((newest?.begins?.getTime() ?? 0) + dayMs);
  const dividing = await holdRows("select divide_by_month('deliveries', $1)", [at]);
  expect(await divideAt(at)).toBeNull();
  await dividing.release();
  const reading = await holdRows("select from deliveries limit 1", []);
  expect(isLockTimeout(await divideAt(at).catch((error: unknown) => error))).toBe(true);
  // The reader is done by the next attempt.
  const swept = sweep(notStopping, kept(-daysUntil((await listMonths())[0]?.ends)));
  await reading.waiters(1);
  await reading.release();
  const before = newest?.name;
  await swept;
  expect((await listMonths()).map(({ name }) => name)).toContain(before);
});

test("a row with an id of another time blocks no new month", async () => {
  const far = await insertDelivery({ at: new Date("2290-05-17T00:00:00Z") });
  const newest = (await listMonths()).at(-1);
  const at = newest?.begins ?? new Date(0);
  await divideAt(at);
  await divideAt(at);
  expect(await divideAt(at)).toBe("began deliveries_2290_06");
  expect(await monthOf(far)).toBe(newest?.name);
});

test("a month is dropped with its attempts only once all of it is too old", async () => {
  const [oldest, next, ...others] = await listMonths();
  const [old, younger] = [
    await insertDelivery({ at: beginOf(oldest), status: "delivered" }),
    await insertDelivery({ at: beginOf(next), status: "failed" }),
  ];
  const days = daysUntil(oldest?.ends);
  await sweep(notStopping, kept(-(days - 1)));
  expect(await listMonths()).toEqual([oldest, next, ...others]);
  expect(await monthOf(old)).toBe(oldest?.name);
  await sweep(notStopping, kept(-days));
  expect(await listMonths()).toEqual([next, ...others]);
  expect((await listMonths("delivery_attempts"))[0]?.begins).toEqual(next?.begins);
  expect([await monthOf(old), await monthOf(younger)]).toEqual([undefined, next?.name]);
  expect(await query("select delivery_id from delivery_attempts")).toEqual([{ delivery_id: younger }]);
});

test.each([
  "next_attempt_real_at = now(), is_due = true",
  "next_attempt_real_at = now()",
  "next_attempt_real_at = null",
])("a month with a pending webhook (%s) keeps only that one with its attempts", async (waiting) => {
  const [oldest] = await listMonths();
  const at = beginOf(oldest);
  while (await divideAt(at, "delivery_attempts"));
  const pending = await insertDelivery({ at });
  await query(`update deliveries set ${waiting}`);
  const ended = [await insertDelivery({ at, status: "delivered" }), await insertDelivery({ at, status: "failed" })];
  await sweep(notStopping, { batchSize: 1, ...kept(-daysUntil(oldest?.ends)) });
  expect(await Promise.all([pending, ...ended].map(monthOf))).toEqual([oldest?.name, undefined, undefined]);
  expect(await query("select delivery_id from delivery_attempts")).toEqual([{ delivery_id: pending }]);
});

test("a webhook that becomes pending again at that moment stays", async () => {
  const [oldest] = await listMonths();
  const id = await insertDelivery({ at: beginOf(oldest), status: "delivered" });
  const days = -daysUntil(oldest?.ends);
  const redelivered = await holdRows("update deliveries set status = 'pending', is_due = true where id = $1", [id], {
    commit: true,
  });
  expect(isLockTimeout(await dropMonthOfDeliveries(days).catch((error: unknown) => error))).toBe(true);
  const dropping = dropMonthOfDeliveries(days);
  await redelivered.waiters(1);
  await redelivered.release();
  expect(await dropping).toBeUndefined();
  expect(await monthOf(id)).toBe(oldest?.name);
});

type Month = { name: string; begins: Date | undefined; ends: Date | undefined };

async function listMonths(table = "deliveries"): Promise<Month[]> {
  const rows = await query<{ name: string; begins: Date | null; ends: Date | null }>(
    `select month::text as name, time_of_id(lowest) as begins, time_of_id(beyond) as ends from months_of('${table}')`,
  );
  return rows.map(({ name, begins, ends }) => ({ name, begins: begins ?? undefined, ends: ends ?? undefined }));
}

// The first partition has no start, so use its last moment.
function beginOf({ begins, ends }: Partial<Month> = {}): Date {
  return begins ?? new Date((ends?.getTime() ?? 0) - 1);
}

function daysUntil(time: Date | undefined): number {
  return Math.ceil(((time?.getTime() ?? 0) - Date.now()) / dayMs);
}

async function divideAt(moment: Date, table = "deliveries"): Promise<string | null> {
  const [row] = await query<{ done: string | null }>(
    `select divide_by_month('${table}', '${moment.toISOString()}') as done`,
  );
  return row?.done ?? null;
}

function idAt(time: Date): string {
  return `${firstIdAt(time).slice(0, 24)}${newId().slice(24)}`;
}

async function insertDelivery({ at = new Date(), status = "pending" } = {}): Promise<string> {
  const id = idAt(at);
  await query(
    `insert into deliveries (id, client_id, webhook_type, resource_id, body, status, trace_id, created_at)
     values ('${id}', '${client.clientId}', 'user_updated', '${newId()}', '', '${status}', '', now())`,
  );
  await query(
    `insert into delivery_attempts (delivery_id, attempt, sent_real_at, duration_ms) values ('${id}', 1, now(), 1)`,
  );
  return id;
}

async function monthOf(id: string): Promise<string | undefined> {
  const [row] = await query<{ month: string }>(
    `select tableoid::regclass::text as month from deliveries where id = '${id}'`,
  );
  return row?.month;
}

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await servicePool().query<Row>(text, values)).rows;
}

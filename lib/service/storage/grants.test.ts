import { readFileSync } from "node:fs";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { servicePool } from "./database.ts";
import { readDatabaseCondition } from "./database-condition.ts";

// deploy/service-grants.sql lets a role without ownership do what production does, and no more.
// e2e/taking-live.spec.ts runs production with it.

const role = `grants_${process.pid}`;
const otherRole = `${role}_other`;
const sandboxTables = ["faults", "sandbox_events", "webhook_faults"];
let asRole: pg.Client;

beforeAll(async () => {
  const [{ name }] = (await servicePool().query("select current_database() as name")).rows;
  await servicePool().query(`create role ${role}; create role ${otherRole}`);
  const grants = readFileSync("deploy/service-grants.sql", "utf8")
    .replaceAll(/^\\.*$/gm, "")
    .replaceAll(':"role"', role)
    .replaceAll(':"schema"', "public");
  const database = new URL(inject("postgresUrl"));
  database.pathname = name;
  const owner = new pg.Client({ connectionString: database.href });
  await owner.connect();
  await owner.query(grants);
  // Operators apply it again after each migration.
  await owner.query(grants);
  await owner.end();
  asRole = new pg.Client({ connectionString: database.href, options: `-c role=${role}` });
  await asRole.connect();
});
afterAll(async () => {
  await asRole.end();
  await servicePool().query(`drop owned by ${role}, ${otherRole}; drop role ${role}, ${otherRole}`);
});

test("every table but the sandbox's can be read", async () => {
  const { rows } = await asRole.query<{ name: string; readable: boolean }>(
    `select relname as name, has_table_privilege(oid, 'select') as readable from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
  );
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.filter(({ readable }) => !readable).map(({ name }) => name)).toEqual(sandboxTables);
});

test("no table can be truncated, referred to or given a trigger, and no record deleted", async () => {
  const { rows } = await asRole.query<{ name: string }>(
    `select relname as name from pg_class, unnest(array['truncate', 'references', 'trigger']) as privilege
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and has_table_privilege(oid, privilege)`,
  );
  expect(rows).toEqual([]);
  const kept = "entries, operator_changes, accounts, authorizations, clients, routines, transfers, users, user_intents";
  for (const table of kept.split(", ")) {
    await expect(asRole.query(`delete from ${table}`), table).rejects.toThrow(`permission denied for table ${table}`);
  }
});

test("a result for an unknown transfer can be deleted, as its runbook says", async () => {
  await asRole.query("delete from unknown_settlement_results");
});

describe("the role is refused what it never needs", () => {
  test.each([
    ["update entries set amount_cents = 1", "permission denied for table entries"],
    ["update operator_changes set operator = 'x'", "permission denied for table operator_changes"],
    ["drop table entries", "must be owner of table entries"],
    ["alter table entries disable trigger all", "must be owner of table entries"],
    ["create table own (id int)", "permission denied for schema public"],
    ["create function own() returns int language sql as 'select 1'", "permission denied for schema public"],
    ["create table drizzle.own (id int)", "permission denied for schema drizzle"],
    ["delete from drizzle.__drizzle_migrations", "permission denied for table __drizzle_migrations"],
    ["drop function divide_by_month", "must be owner of function divide_by_month"],
  ])("%s", async (statement, refusal) => {
    await expect(asRole.query(statement)).rejects.toThrow(refusal);
  });
});

// The lookup of a lost COMMIT's outcome takes these locks.
test("rows can be locked, even those that can't be changed", async () => {
  for (const table of ["operator_changes", "delivery_attempts", "routines", "transfers", "refresh_tokens"]) {
    await asRole.query(`select from ${table} limit 1 for key share`);
  }
});

test("another role's open transaction is unknown, not 0, without pg_monitor", async () => {
  const holder = await servicePool().connect();
  try {
    await holder.query("begin; select from clients limit 1");
    const readAge = async () => (await readDatabaseCondition(drizzle(asRole)))?.oldestTransactionSeconds;
    expect(await readAge()).toBeNull();
    await holder.query(`grant pg_monitor to ${role}`);
    await holder.query("commit; begin; select from clients limit 1");
    await expect.poll(readAge).toBeGreaterThan(0);
  } finally {
    await holder.query("rollback");
    holder.release();
  }
});

// They run as the owner.
test.each(["divide_by_month", "keep_statistics_off"])("%s refuses any table but the monthly ones", async (name) => {
  await asRole.query("create temporary table other (id uuid) partition by range (id)");
  await asRole.query("create temporary table other_first partition of other default");
  await expect(asRole.query(`select ${name}('other')`)).rejects.toThrow("other is not divided by the month");
  await asRole.query("drop table other");
});

test("only the role can create and drop monthly partitions", async () => {
  const statements = [
    "select divide_by_month('deliveries', now() + interval '3 months')",
    "select drop_month_of_deliveries(now())",
    "select keep_statistics_off('deliveries')",
  ];
  for (const statement of statements) await asRole.query(statement);
  await asRole.query(`reset role`);
  await asRole.query(`set role ${otherRole}`);
  for (const statement of statements) await expect(asRole.query(statement)).rejects.toThrow("permission denied for");
  await asRole.query(`set role ${role}`);
});

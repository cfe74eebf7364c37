import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { partner } from "../process-partner.ts";

// deploy/harbor-grants.sql names every table, and lets a role without ownership change only their rows.

const role = `harbor_grants_${process.pid}`;
let asRole: pg.Client;

beforeAll(async () => {
  const [{ name }] = (await partner().pool.query("select current_database() as name")).rows;
  const database = new URL(inject("postgresUrl"));
  database.pathname = name;
  const owner = new pg.Client({ connectionString: database.href });
  await owner.connect();
  await owner.query(`create role ${role}`);
  const grants = readFileSync("deploy/harbor-grants.sql", "utf8").replaceAll(':"role"', role);
  // Operators apply it again after each migration.
  for (const _ of [1, 2]) await owner.query(grants);
  await owner.end();
  asRole = new pg.Client({ connectionString: database.href, options: `-c role=${role}` });
  await asRole.connect();
});
afterAll(async () => {
  await asRole.end();
  await partner().pool.query(`drop owned by ${role}; drop role ${role}`);
});

test("every table can be read, and none can be truncated", async () => {
  const { rows } = await asRole.query(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
       and (not has_table_privilege(oid, 'select') or has_table_privilege(oid, 'truncate'))`,
  );
  expect(rows).toEqual([]);
  await asRole.query("select nextval('record_reads')");
});

test.each([
  ["delete from people", "permission denied for table people"],
  ["update clock set clock_offset = '1 hour'", "permission denied for table clock"],
  ["drop table people", "must be owner of table people"],
  ["create table own (id int)", "permission denied for schema public"],
  ["delete from drizzle.__drizzle_migrations", "permission denied for table __drizzle_migrations"],
])("%s is refused", async (statement, refusal) => {
  await expect(asRole.query(statement)).rejects.toThrow(refusal);
});

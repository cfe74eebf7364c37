import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { startServiceApp } from "../../../server/service-app.ts";
import { catalogFile, findCatalogProblems, readCatalog } from "../../kit/database-catalog.ts";
import { migrationsFolder, servicePool } from "./database.ts";

const run = (statement: string) => servicePool().query(statement);
const findProblems = () => findCatalogProblems(servicePool(), migrationsFolder);
let repair: string | undefined;
afterEach(async () => {
  if (repair) await run(repair);
  repair = undefined;
});

test("the committed catalog matches the migrations; otherwise run `npm run migrations:catalog`", async () => {
  const committed = readFileSync(catalogFile(migrationsFolder), "utf8");
  expect(`${(await readCatalog(servicePool())).join("\n")}\n`).toBe(committed);
});

// [what is missing, how it is removed, how it is repaired, its sentence]
test.each([
  [
    "a primary key",
    "alter table idempotency_keys drop constraint idempotency_keys_client_id_user_scope_operation_key_pk",
    "alter table idempotency_keys add constraint idempotency_keys_client_id_user_scope_operation_key_pk primary key (client_id, user_scope, operation, key)",
    "constraint idempotency_keys_client_id_user_scope_operation_key_pk of idempotency_keys is missing",
  ],
  [
    "a check",
    "alter table accounts drop constraint accounts_held_not_negative",
    "alter table accounts add constraint accounts_held_not_negative check (held_cents >= 0)",
    "constraint accounts_held_not_negative of accounts is missing",
  ],
  [
    "a check's condition",
    "alter table holds drop constraint holds_amount_positive, add constraint holds_amount_positive check (true)",
    "alter table holds drop constraint holds_amount_positive, add constraint holds_amount_positive check (amount_cents > 0)",
    "constraint holds_amount_positive of holds is not as expected",
  ],
  [
    "an index",
    "drop index entries_transfer_once",
    "create unique index entries_transfer_once on entries (transfer_id, account_id)",
    "index entries_transfer_once of entries is missing",
  ],
  [
    "an index's validity",
    "update pg_index set indisvalid = false where indexrelid = 'transfers_one_per_routine'::regclass",
    "update pg_index set indisvalid = true where indexrelid = 'transfers_one_per_routine'::regclass",
    "index transfers_one_per_routine of transfers is not as expected",
  ],
  [
    "a trigger",
    "alter table entries disable trigger entries_immutable",
    "alter table entries enable trigger entries_immutable",
    "trigger entries_immutable of entries is not as expected",
  ],
  [
    "foreign key triggers",
    "alter table webhook_faults disable trigger all",
    "alter table webhook_faults enable trigger all",
    "constraint webhook_faults_client_id_clients_id_fk of webhook_faults is not as expected",
  ],
  [
    "a function",
    "alter function wake_worker() rename to wake_worker_away",
    "alter function wake_worker_away() rename to wake_worker",
    "function wake_worker() is missing",
  ],
  [
    "a column's not null",
    "alter table routines alter column trace_id drop not null",
    "alter table routines alter column trace_id set not null",
    "column trace_id of routines is not as expected",
  ],
])("a database without %s is refused at the start", async (_, plant, mend, sentence) => {
  repair = mend;
  await run(plant);
  await expect(startServiceApp(new Set(["service-api"]))).rejects.toThrow(sentence);
});

test("a missing table is named with everything in it", async () => {
  repair = "alter table webhook_faults_gone rename to webhook_faults";
  await run("alter table webhook_faults rename to webhook_faults_gone");
  expect(await findProblems()).toContain("table webhook_faults is missing");
});

test("an operator's own index and a newer version's additions are fine", async () => {
  repair = "drop index operators_own; alter table routines drop column label; drop table beside";
  await run(`create index operators_own on routines (name); alter table routines add column label text;
    create table beside (id int primary key)`);
  expect(await findProblems()).toEqual([]);
});

test("a database with newer migrations is never refused", async () => {
  const newer = 99_999_999_999_999;
  repair = `create index accounts_by_user on accounts (user_id); delete from drizzle.__drizzle_migrations where created_at = ${newer}`;
  await run("drop index accounts_by_user");
  expect(await findProblems()).toEqual(["index accounts_by_user of accounts is missing"]);
  await run(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('', ${newer})`);
  expect(await findProblems()).toEqual([]);
});

import { expect, test } from "vitest";
import { clientTables } from "./client-rows.ts";
import { servicePool } from "./database.ts";

// Of each database by itself (docs/scaling.md).
const ownTables = ["quarantine", "sleeping_workers", "reconciliations", "encryption_keys"];
// Rows of these are written with a row of another table, which asks: a visit, an intent, a user, a transfer. What a worker
// notes of a webhook that was on its way is not asked for: without the note it is sent once more.
const writtenWithAnother = [
  "identity_submissions",
  "failed_verifications",
  "messages",
  "accounts",
  "account_parts",
  "holds",
  "idempotency_keys",
  "deliveries",
  "delivery_attempts",
  "sandbox_events",
];

test("every table holds clients' rows or is of its database by itself", async () => {
  const { rows } = await servicePool().query<{ name: string }>(`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`);
  const known = [...clientTables.map(({ name }) => name), "clients", ...ownTables];
  expect(known.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test("whoever writes a client's row is asked whether the client is here, in its own table or in one written with it", async () => {
  const { rows } = await servicePool().query<{ name: string }>(`
    select distinct t.tgrelid::regclass::text as name from pg_trigger t join pg_proc f on f.oid = t.tgfoid
    where f.prosrc like '%refuse_away_clients%' and not tgisinternal`);
  const asking = rows.map(({ name }) => name).filter((name) => !name.startsWith("deliveries_"));
  expect([...asking, ...writtenWithAnother].toSorted()).toEqual(clientTables.map(({ name }) => name).toSorted());
});

import { randomBytes } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { newPhone } from "../../kit/testing/phones.ts";
import type { WakeLoop } from "../../kit/wake-loop.ts";
import { sweep } from "../operations/sweep.ts";
import { type Db, inTransaction, servicePool } from "../storage/database.ts";
import { countFailedVerifications, insertFailedVerification } from "../storage/phones.ts";
import { quarantineRows } from "../storage/quarantine.ts";
import { listSweeps } from "../storage/sweep.ts";
import { createTestClient, type TestClient } from "../testing/clients.ts";
import { personDetails } from "../testing/people.ts";
import { quarantined } from "../testing/quarantine.ts";
import { createClientWithSeller } from "../testing/routines.ts";
import { startSweeper } from "./start-workers.ts";

let worker: WakeLoop | undefined;
afterEach(() => worker?.stop());

const notStopping = new AbortController().signal;
const sweeps = listSweeps({ deliveryRetentionDays: 90, endedRetentionDays: 30 });

// [kind, its insert for client $1 with age $2 (past expiry, or since creation), an age that stays, one that goes]
const kinds = [
  [
    "access_tokens",
    `insert into access_tokens (token_hash, authorization_id, client_id, user_id, expires_at, superseded_at, created_at)
     select $3::bytea, a.id, $1, a.user_id, now() - $2::interval, now(), now() from authorizations a where a.client_id = $1`,
    "29 days",
    "31 days",
  ],
  [
    "refresh_tokens",
    `insert into refresh_tokens (token_hash, authorization_id, client_id, user_id, expires_at, created_at)
     select $3::bytea, a.id, $1, a.user_id, now() - $2::interval, now() from authorizations a where a.client_id = $1`,
    "23 hours",
    "25 hours",
  ],
  [
    "authorization_codes",
    `insert into authorization_codes (code_hash, authorization_id, client_id, user_id, redirect_uri, expires_at, trace_id, created_at)
     select $3::bytea, a.id, $1, a.user_id, '', now() - $2::interval, '', now() from authorizations a where a.client_id = $1`,
    "29 days",
    "31 days",
  ],
  [
    "identity_verification_tokens",
    `insert into identity_verification_tokens
       (token_hash, client_id, user_id, customer_id, last_authentication_at, expires_at, trace_id, created_at)
     select $3::bytea, $1, a.user_id, '', now(), now() - $2::interval, '', now() from authorizations a where a.client_id = $1`,
    "29 days",
    "31 days",
  ],
  [
    "visits",
    `insert into visits (id, client_id, secret_hash, user_id, redirect_uri, step, expires_at, trace_id, created_at)
     select gen_random_uuid(), $1, $3::bytea, a.user_id, '', 'finished', now() - $2::interval, '', now()
     from authorizations a where a.client_id = $1`,
    "29 days",
    "31 days",
  ],
  [
    "messages",
    `insert into messages (id, client_id, phone, text_encrypted, outcome, ends_real_at, sent_at)
     values (gen_random_uuid(), $1, '', encode($3::bytea, 'hex'), 'sent', now(), now() - $2::interval)`,
    "29 days",
    "31 days",
  ],
  [
    "idempotency_keys",
    `insert into idempotency_keys
       (client_id, user_scope, operation, key, fingerprint, resource_id, created_real_at)
     values ($1, '', 'bookRoutine', gen_random_uuid(), $3::bytea, gen_random_uuid(), now() - $2::interval)`,
    "73 hours",
    "97 hours",
  ],
  [
    "failed_verifications",
    `insert into failed_verifications (id, client_id, phone, failed_real_at)
     values (gen_random_uuid(), $1, encode($3::bytea, 'hex'), now() - $2::interval)`,
    "25 hours",
    "49 hours",
  ],
] as const;
const byRealTime = ["idempotency_keys", "failed_verifications"];

test.each(kinds)("%s: rows past their retention are deleted, others stay", async (table, insert, stays, goes) => {
  const client = await authorizedClient();
  await servicePool().query(insert, [client.clientId, stays, randomBytes(32)]);
  await servicePool().query(insert, [client.clientId, goes, randomBytes(32)]);
  await sweep(notStopping, { batchSize: 1 });
  expect(await countOf(table, client)).toBe(1);
});

test.each(kinds)("%s: retention is by its client's clock", async (table, insert, stays) => {
  const client = await authorizedClient();
  await servicePool().query(insert, [client.clientId, stays, randomBytes(32)]);
  await servicePool().query("update clients set clock_offset = interval '5 days' where id = $1", [client.clientId]);
  await sweep(notStopping);
  expect(await countOf(table, client)).toBe(byRealTime.includes(table) ? 1 : 0);
});

test.each([
  [...kinds[0], 30 * 24],
  [...kinds[1], 24],
] as const)("%s: retention is the same over a change to summer time", async (table, insert, _stays, _goes, hours) => {
  const client = await authorizedClient();
  const age = `${hours - 1} hours 30 minutes`;
  await servicePool().query(insert, [client.clientId, age, randomBytes(32)]);
  await inTransaction(async (tx, connection) => {
    await connection.query(`set local timezone = '${zoneWithNewSummerTime()}'`);
    expect(await sweeps.find(({ name }) => name === table)?.deleteBatch(tx, 100)).toBe(0);
  });
  expect(await countOf(table, client)).toBe(1);
});

test("a wrong code counts for 24 hours, even over a change to summer time", async () => {
  const { clientId } = await createTestClient();
  const phone = { clientId, phone: newPhone() };
  const counted = await inTransaction(async (tx, connection) => {
    await connection.query(`set local timezone = '${zoneWithNewSummerTime()}'`);
    await insertFailedVerification(tx, phone);
    await connection.query(
      "update failed_verifications set failed_real_at = now() - interval '23 hours 30 minutes' where phone = $1",
      [phone.phone],
    );
    return countFailedVerifications(tx, phone);
  });
  expect(counted).toBe(1);
});

/** A POSIX time zone that changed to summer time 12 hours ago, so that its last day had 23 hours. */
function zoneWithNewSummerTime(): string {
  const change = new Date(Date.now() - 12 * 3_600_000);
  const day = Math.floor((change.getTime() - Date.UTC(change.getUTCFullYear(), 0)) / 86_400_000);
  return `STD0DST-1,${day}/${change.getUTCHours()},${(day + 180) % 365}/0`;
}

test("ended rows are kept as long as the setting says", async () => {
  const client = await authorizedClient();
  const [table, insert, , goes] = kinds[0];
  await servicePool().query(insert, [client.clientId, goes, randomBytes(32)]);
  const keepLonger = { deliveryRetentionDays: 90, endedRetentionDays: 40 };
  await sweep(notStopping, { retention: keepLonger });
  expect(await countOf(table, client)).toBe(1);
});

test("a kind that can't be swept doesn't delay others, is quarantined and counted, and is retried", async () => {
  const client = await authorizedClient();
  const [table, insert, , goes] = kinds[0];
  await servicePool().query(insert, [client.clientId, goes, randomBytes(32)]);
  let isBroken = true;
  const strange = {
    name: "strange_things",
    deleteBatch: async (db: Db) => (isBroken ? ((await db.execute("select 1 / 0")).rowCount ?? 0) : 0),
  };
  await sweep(notStopping, { kinds: [strange, ...sweeps] });
  expect([await countOf(table, client), await quarantined("sweep")]).toEqual([0, 1]);
  isBroken = false;
  await sweep(notStopping, { kinds: [strange, ...sweeps] });
  expect(await quarantined("sweep")).toBe(0);
});

test("workers of crashed processes are forgotten a day after they should have woken", async () => {
  const [recent, old] = [newId(), newId()];
  for (const [id, ago] of [
    [recent, "23 hours"],
    [old, "25 hours"],
  ]) {
    await servicePool().query(
      "insert into sleeping_workers (channel, worker_id, wakes_real_at) values ('unused', $1, now() - $2::interval)",
      [id, ago],
    );
  }
  await sweep(notStopping);
  const { rows } = await servicePool().query("select worker_id as id from sleeping_workers where channel = 'unused'");
  expect(rows).toEqual([{ id: recent }]);
});

test("a row that keeps failing is skipped with exponential backoff, from 5 s up to an hour", async () => {
  const id = newId();
  const readClock = async () => (await servicePool().query<{ at: Date }>("select clock_timestamp() as at")).rows[0]?.at;
  const seconds = async (failures: number) => {
    await servicePool().query("update quarantine set retry_real_at = now(), failures = $2 where id = $1", [
      id,
      failures - 1,
    ]);
    const before = await readClock();
    await quarantineRows("transfer", [{ id, reason: `reason ${failures}` }]);
    const after = await readClock();
    // Not yet due again, so this changes nothing.
    await quarantineRows("transfer", [{ id, reason: "too early" }]);
    const { rows } = await servicePool().query(
      `select reason, failures, extract(epoch from retry_real_at - $2::timestamptz)::float8 as most,
         extract(epoch from retry_real_at - $3::timestamptz)::float8 as least from quarantine where id = $1`,
      [id, before, after],
    );
    expect(rows).toMatchObject([{ reason: `reason ${failures}`, failures }]);
    return rows[0];
  };
  for (const [failures, pause] of [
    [1, 5],
    [2, 10],
    [3, 20],
    [10, 2560],
    [11, 3600],
    [100, 3600],
  ] as const) {
    const { least, most } = await seconds(failures);
    // JavaScript's clock has milliseconds, PostgreSQL's microseconds.
    expect(least).toBeLessThanOrEqual(pause + 0.001);
    expect(most).toBeGreaterThanOrEqual(pause - 0.001);
  }
  await servicePool().query("delete from quarantine where id = $1", [id]);
});

test("quarantine entries end with their work", async () => {
  const kept = newId();
  await servicePool().query("insert into photo_deletions (id, due_real_at) values ($1, now())", [kept]);
  const client = await createClientWithSeller();
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9" } });
  const { json: intent } = await client.call("POST", "/v1/user_intent", { body: personDetails({ phone: newPhone() }) });
  const book = async () => {
    const body = { name: "Payout", amount: 0.12, source_id: client.operatingId, destination_id: client.walletId };
    const { json } = await client.call("POST", "/v1/routines/book", { bearer: client.businessToken, body });
    return String(json["transfer_id"]);
  };
  const [pending, ended] = [await book(), await book()];
  await client.call("POST", `/sandbox/transfers/${ended}/status`, { body: { status: "cancelled" } });
  const { rows: sent } = await servicePool().query<{ id: string }>("select id from deliveries where client_id = $1", [
    client.clientId,
  ]);
  const [waiting, delivered] = sent.map(({ id }) => id);
  await servicePool().query("update deliveries set status = 'delivered' where id = $1", [delivered]);
  const open = { transfer: pending, screening: String(intent["id"]), delivery: waiting ?? "" };
  for (const [kind, id] of Object.entries(open)) {
    await quarantineRows(kind as keyof typeof open, [{ id, reason: "cut" }]);
  }
  await quarantineRows("transfer", [{ id: ended, reason: "cut" }]);
  await quarantineRows("delivery", [{ id: delivered ?? "", reason: "cut" }]);
  const ids = ["screening", "transfer", "settlement_order", "photo_deletion", "delivery", "webhook_endpoint"] as const;
  for (const kind of ids) {
    await quarantineRows(kind, [{ id: newId(), reason: "cut" }]);
  }
  await quarantineRows("photo_deletion", [{ id: kept, reason: "cut" }]);
  await quarantineRows("webhook_endpoint", [{ id: client.clientId, reason: "cut" }]);
  await sweep(notStopping, { batchSize: 1 });
  const { rows } = await servicePool().query<{ id: string }>("select id from quarantine");
  expect(rows.map(({ id }) => id).toSorted()).toEqual([kept, client.clientId, ...Object.values(open)].toSorted());
});

test("the worker sweeps when it starts", async () => {
  const client = await authorizedClient();
  const [table, insert, , goes] = kinds[0];
  await servicePool().query(insert, [client.clientId, goes, randomBytes(32)]);
  worker = startSweeper();
  await expect.poll(() => countOf(table, client)).toBe(0);
});

async function authorizedClient(): Promise<TestClient> {
  const client = await createTestClient();
  await servicePool().query(
    "insert into authorizations (id, client_id, user_id, created_at) values ($1, $2, $3, now() - interval '1 year')",
    [newId(), client.clientId, client.businessUserId],
  );
  return client;
}

async function countOf(table: string, { clientId }: TestClient): Promise<number> {
  const { rows } = await servicePool().query<{ count: number }>(
    `select count(*)::int as count from ${table} where client_id = $1`,
    [clientId],
  );
  return rows[0]?.count ?? 0;
}

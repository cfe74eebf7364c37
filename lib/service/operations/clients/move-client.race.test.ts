import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { basicCredentials } from "../../../kit/testing/basic-credentials.ts";
import { serviceConfig } from "../../config.ts";
import { clientHint } from "../../domain/client-hint.ts";
import type { ScreeningDecision } from "../../providers.ts";
import { servicePool } from "../../storage/database.ts";
import { eventWritingLock } from "../../storage/sandbox-events.ts";
import { type ClientWithSeller, createClientWithSeller } from "../../testing/client-with-seller.ts";
import { createTestClient } from "../../testing/clients.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { createIntent } from "../../testing/people.ts";
import { quarantined } from "../../testing/quarantine.ts";
import { type SecondDatabase, startSecondDatabase } from "../../testing/second-database.ts";
import { settleDueTransfers } from "../money/settle-transfers.ts";
import { screenDuePeople } from "../people/screen-people.ts";
import { clearMovedClient, moveClient } from "./move-client.ts";

let other: SecondDatabase;
beforeAll(async () => {
  other = await startSecondDatabase(inject("postgresUrl"));
});
afterAll(() => other.stop());

const there = () => ({ sourceUrl: serviceConfig().databaseDirectUrl, targetUrl: other.url });
const back = () => ({ sourceUrl: other.url, targetUrl: serviceConfig().databaseDirectUrl });

function orderOf({ operatingId, walletId }: ClientWithSeller, cents = 1250) {
  return { name: "Payout", amount: cents / 100, source_id: operatingId, destination_id: walletId };
}

function book(client: ClientWithSeller, key: string = randomUUID(), cents?: number) {
  return client.call("POST", "/v1/routines/book", {
    body: orderOf(client, cents),
    bearer: client.businessToken,
    headers: { "idempotency-key": key },
  });
}

function bookThere(client: ClientWithSeller, key: string = randomUUID()) {
  const authorization = `Bearer ${client.businessToken}`;
  const headers = { "idempotency-key": key };
  return other.call("POST", "/v1/routines/book", { authorization, headers, body: orderOf(client) });
}

const basicOf = ({ clientId, clientSecret }: ClientWithSeller) => basicCredentials(clientId, clientSecret);

test("a moved client is served where it was moved to, as if nothing had happened, and with 503 where it was", async () => {
  const client = await createClientWithSeller();
  const key = randomUUID();
  const first = await book(client, key);
  expect(first.status).toBe(201);
  expect(await other.call("GET", "/v1/user", { authorization: `Bearer ${client.businessToken}` })).toMatchObject({
    status: 401,
  });

  const outcome = await moveClient(client.clientId, there());

  expect(outcome).toMatchObject({ kind: "moved", rows: expect.any(Number), pauseMs: expect.any(Number) });
  // The same key is the same routine, the same tokens the same people.
  const again = await bookThere(client, key);
  expect(again).toMatchObject({ status: 201, json: { id: first.json["id"] } });
  expect(await other.call("GET", "/v1/user", { authorization: `Bearer ${client.sellerToken}` })).toMatchObject({
    status: 200,
    json: { id: client.sellerId },
  });
  expect((await bookThere(client)).status).toBe(201);
  const intents = await other.call("GET", "/sandbox/events", { authorization: basicOf(client) });
  expect(intents.status).toBe(200);

  for (const refused of [
    await book(client),
    await client.call("GET", "/v1/user", { bearer: client.sellerToken }),
    await client.call("POST", "/v1/user_intent", { body: {} }),
    await client.call("POST", "/v1/oauth/token", { form: { grant_type: "refresh_token", refresh_token: "gwr_" } }),
  ]) {
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
  }
  expect(await moveClient(client.clientId, there())).toEqual({ kind: "moved_before" });
});

test("bookings beside a move are done once where they were acknowledged and nowhere where they were refused", async () => {
  const [client, bystander] = [await createClientWithSeller(), await createClientWithSeller()];
  const answers: { key: string; status: number; id: unknown }[] = [];
  const bystanders: number[] = [];
  let isOver = false;
  const bookers = Array.from({ length: 6 }, async () => {
    while (!isOver) {
      const key = randomUUID();
      const [{ status, json }, { status: beside }] = await Promise.all([
        book(client, key, 1),
        book(bystander, undefined, 1),
      ]);
      answers.push({ key, status, id: json["id"] });
      bystanders.push(beside);
    }
  });
  await expect.poll(() => answers.length).toBeGreaterThan(30);
  const outcome = await moveClient(client.clientId, there());
  const before = answers.length;
  await expect.poll(() => answers.length).toBeGreaterThan(before + 6);
  isOver = true;
  await Promise.all(bookers);

  expect(outcome.kind).toBe("moved");
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
  expect(new Set(bystanders)).toEqual(new Set([201]));
  const rows = await other.query<{ key: string; id: string }>(
    "select key, resource_id as id from idempotency_keys where client_id = $1",
    [client.clientId],
  );
  const kept = answers.filter(({ status }) => status === 201).map(({ key, id }) => ({ key, id }));
  const inOrder = (list: { key: string }[]) => list.toSorted((left, right) => (left.key < right.key ? -1 : 1));
  expect(inOrder(rows)).toEqual(inOrder(kept as { key: string }[]));
});

test("what is under way when a client goes away is waited for and goes with it", async () => {
  const client = await createClientWithSeller();
  // It has been asked whether the client is here, and has not been committed.
  const writing = await holdRows("update users set first_name = 'Late' where id = $1", [client.sellerId], {
    commit: true,
  });
  let isMoved = false;
  const moving = moveClient(client.clientId, there()).then((outcome) => {
    isMoved = true;
    return outcome;
  });
  await expect.poll(() => isAway(client)).toBe(true);
  expect(isMoved).toBe(false);
  await writing.release();
  expect(await moving).toMatchObject({ kind: "moved" });
  const authorization = `Bearer ${client.sellerToken}`;
  expect(await other.call("GET", "/v1/user", { authorization })).toMatchObject({ json: { first_name: "Late" } });
});

test("what is swept while a client is moved is gone where it was moved to", async () => {
  const client = await createClientWithSeller();
  const key = randomUUID();
  await Promise.all([book(client, key), book(client)]);
  const writing = await holdRows("update users set first_name = 'Late' where id = $1", [client.sellerId]);
  const moving = moveClient(client.clientId, there());
  // It has been copied once by now.
  await expect.poll(() => isAway(client)).toBe(true);
  await servicePool().query("delete from idempotency_keys where key = $1", [key]);
  await writing.release();
  expect(await moving).toMatchObject({ kind: "moved" });
  const kept = "select count(*)::int as kept from idempotency_keys where client_id = $1";
  expect(await other.query(kept, [client.clientId])).toEqual([{ kept: 1 }]);
});

test("what is waiting to write when a client goes away is refused, and is not there", async () => {
  const client = await createClientWithSeller();
  const held = await holdRows("select from accounts where id = $1 for update", [client.operatingId]);
  const booking = book(client);
  await held.waiters(1);
  const moving = moveClient(client.clientId, there());
  await expect.poll(() => isAway(client)).toBe(true);
  await held.release();
  expect(await booking).toMatchObject({ status: 503 });
  expect(await moving).toMatchObject({ kind: "moved" });
  expect(await other.query("select id from routines where client_id = $1", [client.clientId])).toEqual([]);
  const { rows } = await servicePool().query("select id from routines where client_id = $1", [client.clientId]);
  expect(rows).toEqual([]);
});

test("a key is not voided where its client is away: a booking under it would be made where the client went", async () => {
  const client = await createClientWithSeller();
  const key = randomUUID();
  const held = await holdRows("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
    `${client.clientId} ${client.businessUserId} createBookRoutine ${key}`,
  ]);
  const headers = { "idempotency-key": key };
  const voiding = client.call("POST", "/v1/routines/book/void", { bearer: client.businessToken, headers });
  const moving = moveClient(client.clientId, there());
  await expect.poll(() => isAway(client)).toBe(true);
  await held.release();
  expect(await voiding).toMatchObject({ status: 503 });
  expect(await moving).toMatchObject({ kind: "moved" });
  expect((await bookThere(client, key)).status).toBe(201);
});

test("a move that cannot wait any longer, or that fails, leaves the client where it was", async () => {
  const client = await createClientWithSeller();
  const writing = await holdRows(
    "insert into quarantine (kind, id, reason, retry_real_at) values ('sweep', $1, '', now())",
    [client.clientId],
  );
  await expect(moveClient(client.clientId, there(), { patienceMs: 100 })).rejects.toThrow(
    "under way for more than 0.1 s",
  );
  expect(await isAway(client)).toBe(false);
  await writing.release();

  // Something there has the id of one of its rows.
  await other.query("set session_replication_role = replica");
  await other.query(
    `insert into routines (id, client_id, user_id, name, status, trace_id, created_at, updated_at)
     values ($1, 'another', $1, '', 'completed', '', now(), now())`,
    [(await book(client)).json["id"]],
  );
  await other.query("reset session_replication_role");
  await expect(moveClient(client.clientId, there())).rejects.toThrow("routines_pkey");
  expect(await isAway(client)).toBe(false);
  expect((await book(client)).status).toBe(201);
  expect(await other.query("select id from clients where id = $1", [client.clientId])).toEqual([]);
});

test("a client whose digits stand for another one too, which lives here, is not moved away from it", async () => {
  // The only two of some twenty million that were tried.
  const [one, two] = ["client-11632510", "client-24276730"];
  expect(clientHint(one)).toBe(clientHint(two));
  await Promise.all([createTestClient({ clientId: one }), createTestClient({ clientId: two })]);
  expect(await moveClient(one, there())).toEqual({ kind: "same_digits", otherClientId: two });
  expect(await other.query("select id from clients where id in ($1, $2)", [one, two])).toEqual([]);
  await servicePool().query("update clients set away_since_real_at = now() where id = $1", [two]);
  expect(await moveClient(one, there())).toMatchObject({ kind: "moved" });
});

test("no worker touches what is due of a client that is away, and the rest goes on", async () => {
  const [client, bystander] = [await createClientWithSeller(), await createClientWithSeller()];
  await book(client);
  await servicePool().query("update clients set away_since_real_at = now() where id = $1", [client.clientId]);
  await book(bystander);
  await servicePool().query("update transfers set due_real_at = now() where status = 'pending' and client_id = $1", [
    bystander.clientId,
  ]);
  await settleDueTransfers();
  const statusOf = async ({ clientId }: ClientWithSeller) =>
    (await servicePool().query("select status from transfers where client_id = $1", [clientId])).rows;
  expect(await statusOf(client)).toEqual([{ status: "pending" }]);
  expect(await statusOf(bystander)).toEqual([{ status: "processed" }]);
});

test("a person whose client goes away while they are being judged is not set aside, and is judged where it went", async () => {
  const client = await createClientWithSeller();
  const { id } = await createIntent(client);
  await servicePool().query("update screenings set due_real_at = now() where user_intent_id = $1", [id]);
  const approveMeanwhile = async (): Promise<ScreeningDecision> => {
    await moveClient(client.clientId, there());
    return { status: "approved", rejectionReasons: [] };
  };
  await screenDuePeople({
    screenIdentity: approveMeanwhile,
    screenCorrection: approveMeanwhile,
    screenPhotoId: approveMeanwhile,
  });
  expect(await quarantined("screening")).toBe(0);
  const due = "select due_real_at <= now() as due from screenings where user_intent_id = $1";
  expect(await other.query(due, [id])).toEqual([{ due: true }]);
});

test("a client moves back, and what it left behind is cleared away and nothing else", async () => {
  const [client, bystander] = [await createClientWithSeller(), await createClientWithSeller()];
  await Promise.all([book(client), book(bystander)]);
  expect(await clearMovedClient(client.clientId, there())).toBeUndefined();
  await moveClient(client.clientId, there());
  expect((await bookThere(client)).status).toBe(201);
  expect(await moveClient(client.clientId, back())).toMatchObject({ kind: "moved" });
  expect(await clearMovedClient(client.clientId, there())).toBeUndefined();
  const { rows } = await servicePool().query("select id from routines where client_id = $1", [client.clientId]);
  expect(rows).toHaveLength(2);
  expect(await clearMovedClient(client.clientId, back())).toBeGreaterThan(10);
  expect(await other.query("select id from accounts where client_id = $1", [client.clientId])).toEqual([]);
  expect(await other.query("select id from clients where id = $1", [client.clientId])).toHaveLength(1);
  expect((await book(bystander)).status).toBe(201);
  expect((await book(client)).status).toBe(201);
  expect(await findLedgerProblems()).toEqual([]);
});

test("whoever writes events where a client comes back to, and then looks for the client, waits for nobody", async () => {
  const client = await createClientWithSeller();
  await moveClient(client.clientId, there());
  await moveClient(client.clientId, back());
  await other.query("begin");
  await other.query("select pg_advisory_xact_lock($1)", [eventWritingLock]);
  const moving = moveClient(client.clientId, there());
  const waiting = "select from pg_locks where locktype = 'advisory' and objid = $1 and not granted";
  await expect.poll(async () => (await servicePool().query(waiting, [eventWritingLock])).rowCount).toBe(1);
  // Not waiting at all: of two that wait for each other PostgreSQL would end the move, which then begins anew.
  const locked = await other.query("select id from clients where id = $1 for key share nowait", [client.clientId]);
  expect(locked).toHaveLength(1);
  await other.query("commit");
  expect(await moving).toMatchObject({ kind: "moved" });
});

async function isAway({ clientId }: ClientWithSeller): Promise<boolean> {
  const { rows } = await servicePool().query<{ away: boolean }>(
    "select away_since_real_at is not null as away from clients where id = $1",
    [clientId],
  );
  return rows[0]?.away ?? false;
}

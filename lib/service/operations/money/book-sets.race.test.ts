import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { findAccountOfClient, fundAccount, listFundingAccounts } from "../../storage/accounts.ts";
import { database, servicePool } from "../../storage/database.ts";
import { idempotencyKeys } from "../../storage/schema.ts";
import { createTestClient } from "../../testing/clients.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import {
  closeAccount,
  countTransfers,
  fundTestBusiness,
  insertTestSeller,
  testBookRequest,
} from "../../testing/routines.ts";
import { type BookRequest, booking } from "./create-book-routine.ts";

async function businessWith(...balancesCents: number[]) {
  const client = await createTestClient();
  const business = await fundTestBusiness(client, balancesCents);
  const { walletId } = await insertTestSeller(client);
  const [sourceId = ""] = business.accountIds;
  return { client, business, order: { sourceId, destinationId: walletId, amountCents: 100 } };
}

/** "held" or "crowded" for requests that the statement skips. Waits longer for a lock than a test holds one. */
async function serve(requests: BookRequest[], { skipLocked = false, lockTimeoutMs = 30_000 } = {}): Promise<string[]> {
  const outcomes = await booking.attempt(requests, { skipLocked, lockTimeoutMs });
  return outcomes.map((outcome) => (typeof outcome === "object" ? outcome.kind : outcome));
}

function times<Item>(length: number, make: () => Item): Item[] {
  return Array.from({ length }, make);
}

describe("booking a set in one statement", () => {
  test("books what its source covers, and writes nothing for the rest", async () => {
    const { client, business, order } = await businessWith(10_000, 100);
    const elsewhere = await businessWith(10_000);
    const closed = (await insertTestSeller(client)).walletId;
    await closeAccount(database(), { id: closed, clientId: client.clientId });
    const { walletId } = await insertTestSeller(client);
    await fundAccount(database(), { accountId: walletId, amountCents: 10_000 });
    const [treasury] = await listFundingAccounts(database(), client.clientId);
    const poor = { ...order, sourceId: business.accountIds[1] ?? "" };
    const twice = { ...order, idempotencyKey: randomUUID() };
    const orders = [
      { ...order, idempotencyKey: randomUUID() },
      twice,
      twice,
      { ...order, idempotencyKey: randomUUID(), destinationId: closed },
      { ...order, idempotencyKey: randomUUID(), destinationId: randomUUID() },
      { ...order, idempotencyKey: randomUUID(), destinationId: elsewhere.order.destinationId },
      { ...order, idempotencyKey: randomUUID(), sourceId: elsewhere.order.sourceId },
      // A person's wallet is not the business's to pay from, and a treasury account receives no payments.
      { ...order, idempotencyKey: randomUUID(), sourceId: walletId },
      { ...order, idempotencyKey: randomUUID(), destinationId: treasury?.id ?? "" },
      // Their sum exceeds the source, so neither is booked: the first must not lose to the second.
      { ...poor, amountCents: 60 },
      { ...poor, amountCents: 41 },
      order,
    ];
    const kinds = await serve(orders.map((one) => testBookRequest(business, one)));
    expect(kinds).toEqual(["created", "created", ...times(9, () => "crowded"), "created"]);
    expect(await countTransfers(client, "pending")).toBe(3);
    expect(await database().$count(idempotencyKeys)).toBe(2);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("uses a source's current balance, not that from before it waited for the lock", async () => {
    const { client, business, order } = await businessWith(10_000);
    const account = await holdRows("select from accounts where id = $1 for no key update", [order.sourceId]);
    const sets = times(2, () => serve(times(60, () => testBookRequest(business, order))));
    await account.waiters(2);
    await account.release();
    const kinds = (await Promise.all(sets)).map((set) => new Set(set));
    expect(kinds).toEqual(expect.arrayContaining([new Set(["created"]), new Set(["crowded"])]));
    expect(await countTransfers(client, "pending")).toBe(60);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("skips a source closed while it waited", async () => {
    const { client, business, order } = await businessWith(10_000);
    const closing = await holdRows("update accounts set status = 'closed' where id = $1", [order.sourceId], {
      commit: true,
    });
    const set = serve([testBookRequest(business, order)]);
    await closing.waiters(1);
    await closing.release();
    expect(await set).toEqual(["crowded"]);
    expect(await countTransfers(client, "pending")).toBe(0);
  });

  test("skips a key written after the statement's snapshot", async () => {
    const { client, business, order } = await businessWith(10_000);
    const request = testBookRequest(business, { ...order, idempotencyKey: randomUUID() });
    const { clientId, userScope, operation, key, fingerprint } = request.idempotency ?? {};
    const writing = await servicePool().connect();
    await writing.query("begin");
    await writing.query(
      `insert into idempotency_keys (client_id, user_scope, operation, key, fingerprint, resource_id)
       values ($1, $2, $3, $4, $5, gen_random_uuid())`,
      [clientId, userScope, operation, key, fingerprint],
    );
    const watched = await holdRows("select", []);
    const set = serve([request, testBookRequest(business, order)]);
    await watched.waiters(1);
    await writing.query("commit");
    writing.release();
    expect(await set).toEqual(["crowded", "created"]);
    await watched.release();
    const source = await findAccountOfClient(database(), { id: order.sourceId, clientId: client.clientId });
    expect(source?.heldCents).toBe(100);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("waits briefly for a source or skips it, and books the others", async () => {
    const { business, order } = await businessWith(10_000, 10_000);
    const other = { ...order, sourceId: business.accountIds[1] ?? "" };
    const account = await holdRows("select from accounts where id = $1 for no key update", [order.sourceId]);
    const requests = [order, other].map((one) => testBookRequest(business, one));
    await expect(serve(requests, { lockTimeoutMs: 250 })).rejects.toThrow("lock timeout");
    expect(await serve(requests, { skipLocked: true })).toEqual(["held", "created"]);
    await account.release();
    // The limit was the statement's own, not the connection's.
    const { rows } = await servicePool().query("show lock_timeout");
    expect(rows).toEqual([{ lock_timeout: "5s" }]);
  });
});

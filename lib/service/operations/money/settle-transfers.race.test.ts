import { eq } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { openPool } from "../../../kit/postgres.ts";
import { serviceConfig } from "../../config.ts";
import { findAccountOfClient, fundAccount } from "../../storage/accounts.ts";
import { database, inTransaction, servicePool } from "../../storage/database.ts";
import { findTransferOfClient } from "../../storage/routines.ts";
import { deliveries } from "../../storage/schema.ts";
import { findDueTransfers } from "../../storage/settlements.ts";
import { advanceClock, createTestClient, type TestClient } from "../../testing/clients.ts";
import { startDatabaseProxy } from "../../testing/database-proxy.ts";
import { holdRows, listUnlocked } from "../../testing/hold-rows.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { endQuarantines, quarantined } from "../../testing/quarantine.ts";
import {
  bookTestRoutine,
  closeAccount,
  countTransfers,
  fundTestBusiness,
  insertTestSeller,
  transferIdOf,
} from "../../testing/routines.ts";
import { batchMax, finishTransfer, settleDueTransfers } from "./settle-transfers.ts";

// Read by serviceConfig() on its first call: long enough that no transfer falls due by itself on a slow machine.
const delaySeconds = 3600;
process.env["SERVICE_SETTLEMENT_DELAY_MS"] = String(delaySeconds * 1000);

async function payout(amountCents: number) {
  const client = await createTestClient();
  const business = await fundTestBusiness(client, [1_000_000]);
  const { walletId } = await insertTestSeller(client);
  const [sourceId = ""] = business.accountIds;
  const decision = await bookTestRoutine(business, { sourceId, destinationId: walletId, amountCents });
  return { client, business, sourceId, walletId, transferId: transferIdOf(decision) };
}

async function balanceOf(client: TestClient, id: string) {
  const account = await findAccountOfClient(database(), { id, clientId: client.clientId });
  return { balance: account?.balanceCents, held: account?.heldCents };
}

async function statusOf(client: TestClient, id: string) {
  const transfer = await findTransferOfClient(database(), { id, clientId: client.clientId });
  return { status: transfer?.status, failureReason: transfer?.failureReason };
}

function announced(client: TestClient) {
  return database()
    .select({ type: deliveries.webhookType, resourceId: deliveries.resourceId, body: deliveries.body })
    .from(deliveries)
    .where(eq(deliveries.clientId, client.clientId))
    .orderBy(deliveries.id);
}

describe("settlement", () => {
  test("ends after the batch in progress when its process stops", async () => {
    const client = await createTestClient();
    const business = await fundTestBusiness(client, [1_000_000]);
    const { walletId: destinationId } = await insertTestSeller(client);
    const order = { sourceId: business.accountIds[0] ?? "", destinationId, amountCents: 1 };
    await Promise.all(Array.from({ length: batchMax + 3 }, () => bookTestRoutine(business, order)));
    await advanceClock(client, delaySeconds);
    await settleDueTransfers(AbortSignal.abort());
    expect(await countTransfers(client, "pending")).toBe(3);
    await settleDueTransfers();
    expect(await countTransfers(client, "pending")).toBe(0);
  });

  test("processes only what is due by the client's clock", async () => {
    const { client, sourceId, walletId, transferId } = await payout(12_345);
    await settleDueTransfers();
    expect((await statusOf(client, transferId)).status).toBe("pending");
    expect(await balanceOf(client, sourceId)).toEqual({ balance: 1_000_000, held: 12_345 });

    await advanceClock(client, delaySeconds);
    await settleDueTransfers();
    expect(await statusOf(client, transferId)).toEqual({ status: "processed", failureReason: null });
    expect(await balanceOf(client, sourceId)).toEqual({ balance: 987_655, held: 0 });
    expect(await balanceOf(client, walletId)).toEqual({ balance: 12_345, held: 0 });
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("sends one webhook each for routine and transfer, for the routine's owner", async () => {
    const { client, business, transferId } = await payout(100);
    expect(await announced(client)).toEqual([]);
    await advanceClock(client, delaySeconds);
    await Promise.all([settleDueTransfers(), settleDueTransfers(), settleDueTransfers()]);
    const events = await announced(client);
    expect(events.map(({ type }) => type)).toEqual(["routine_updated", "transfer_updated"]);
    expect(events[1]?.resourceId).toBe(transferId);
    for (const { body } of events) expect(JSON.parse(body)).toMatchObject({ user_id: business.userId });
  });

  test.each([
    [111, "failed", "account_closed"],
    [10_011, "failed", "account_closed"],
    [112, "pending", null],
    [110, "processed", null],
  ])("ends a sandbox transfer of %i cents as %s", async (amountCents, status, failureReason) => {
    const { client, sourceId, transferId } = await payout(amountCents);
    await advanceClock(client, 86_400);
    await settleDueTransfers();
    expect(await statusOf(client, transferId)).toEqual({ status, failureReason });
    const held = status === "pending" ? amountCents : 0;
    const balance = status === "processed" ? 1_000_000 - amountCents : 1_000_000;
    expect(await balanceOf(client, sourceId)).toEqual({ balance, held });
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("fails a transfer whose destination has been closed, even if processed manually", async () => {
    const [byItself, byHand] = [await payout(5_000), await payout(5_012)];
    for (const { client, walletId } of [byItself, byHand]) {
      await closeAccount(database(), { id: walletId, clientId: client.clientId });
      await advanceClock(client, delaySeconds);
    }
    await settleDueTransfers();
    const processed = { status: "processed", failureReason: null } as const;
    expect(await finishTransfer(byHand.transferId, processed, { clientId: byItself.client.clientId })).toBe(false);
    expect(await finishTransfer(byHand.transferId, processed, { clientId: byHand.client.clientId })).toBe(true);
    for (const { client, transferId, sourceId } of [byItself, byHand]) {
      expect(await statusOf(client, transferId)).toEqual({ status: "failed", failureReason: "account_closed" });
      expect(await balanceOf(client, sourceId)).toEqual({ balance: 1_000_000, held: 0 });
    }
  });

  test("settles the most overdue transfers first, and returns the time until the next one", async () => {
    const late = [await payout(100), await payout(100), await payout(100)].map(({ transferId }) => transferId);
    for (const [index, id] of late.entries()) {
      const due = "update transfers set due_real_at = now() - make_interval(mins => $2) where id = $1";
      await servicePool().query(due, [id, [5, 15, 10][index]]);
    }
    const first = await findDueTransfers(servicePool(), 2);
    expect(first.map(({ id }) => id)).toEqual([late[1], late[2]]);
    await settleDueTransfers();
    const { client } = await payout(100);
    const inMs = await settleDueTransfers();
    expect(inMs).toBeGreaterThan(0);
    expect(inMs).toBeLessThanOrEqual(delaySeconds * 1000);
    await advanceClock(client, delaySeconds);
    await settleDueTransfers();
  });
});

describe("a race to finish a transfer", () => {
  test("between settlement and twenty manual decisions is won once: one posting, one webhook of each type", async () => {
    const { client, walletId, transferId } = await payout(7_700);
    await advanceClock(client, delaySeconds);
    const ends = [
      { status: "processed", failureReason: null },
      { status: "failed", failureReason: "unspecified" },
      { status: "cancelled", failureReason: null },
    ] as const;
    const finish = (end: (typeof ends)[number]) => finishTransfer(transferId, end, { clientId: client.clientId });
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => finish(ends[index % 3] ?? ends[1])),
      settleDueTransfers(),
      settleDueTransfers(),
    ]);
    const { status } = await statusOf(client, transferId);
    expect(await balanceOf(client, walletId)).toEqual({ balance: status === "processed" ? 7_700 : 0, held: 0 });
    expect(await announced(client)).toHaveLength(2);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("is won once for each of 200 crossing transfers, settled by four workers and manually during bookings", async () => {
    const client = await createTestClient();
    const business = await fundTestBusiness(client, [500_000, 500_000]);
    const [left = "", right = ""] = business.accountIds;
    const book = (index: number) => {
      const [sourceId, destinationId] = index % 2 ? [left, right] : [right, left];
      return bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 + (index % 5) });
    };
    const first = await Promise.all(Array.from({ length: 200 }, (_, index) => book(index)));
    await advanceClock(client, delaySeconds);
    const byHand = first
      .slice(0, 50)
      .map((decision) =>
        finishTransfer(
          transferIdOf(decision),
          { status: "cancelled", failureReason: null },
          { clientId: client.clientId },
        ),
      );
    await Promise.all([
      ...byHand,
      ...Array.from({ length: 4 }, settleDueTransfers),
      ...Array.from({ length: 100 }, (_, index) => book(index)),
    ]);
    await advanceClock(client, delaySeconds);
    await settleDueTransfers();
    expect(await countTransfers(client, "pending")).toBe(0);
    const [leftBalance, rightBalance] = [await balanceOf(client, left), await balanceOf(client, right)];
    expect((leftBalance.balance ?? 0) + (rightBalance.balance ?? 0)).toBe(1_000_000);
    expect(await findLedgerProblems()).toEqual([]);
  });
});

describe("settling a batch", () => {
  test("takes effect even if the commit's response is lost", async () => {
    const { client, sourceId, walletId, transferId } = await payout(300);
    const proxy = await startDatabaseProxy();
    const pool = openPool(proxy.url, { connectionsMax: 1, isPooled: serviceConfig().isDatabasePooled });
    proxy.judge((message) => (message.includes("settle_waiting_in_one_statement") ? "cut after" : "pass"));
    const connect = servicePool().connect.bind(servicePool());
    let isCut = false;
    // Queries connect with a callback, statements that may be repeated without.
    const instead = (callback?: never) => {
      if (callback !== undefined || isCut) return connect(callback as never);
      isCut = true;
      return pool.connect();
    };
    const spy = vi.spyOn(servicePool(), "connect").mockImplementation(instead as never);
    try {
      const processed = { status: "processed", failureReason: null } as const;
      expect(await finishTransfer(transferId, processed, { clientId: client.clientId })).toBe(true);
      expect(isCut).toBe(true);
    } finally {
      spy.mockRestore();
      await proxy.stop();
      await pool.end();
    }
    expect(await balanceOf(client, sourceId)).toEqual({ balance: 999_700, held: 0 });
    expect(await balanceOf(client, walletId)).toEqual({ balance: 300, held: 0 });
    expect(await announced(client)).toHaveLength(2);
  });

  test("locks its accounts by id, so it can't deadlock with bookings", async () => {
    const client = await createTestClient();
    const business = await fundTestBusiness(
      client,
      Array.from({ length: 10 }, () => 1_000),
    );
    const { walletId: destinationId } = await insertTestSeller(client);
    for (const sourceId of business.accountIds)
      await bookTestRoutine(business, { sourceId, destinationId, amountCents: 1 });
    await advanceClock(client, delaySeconds);
    const [lowest = "", ...others] = [...business.accountIds, destinationId].sort();
    const held = await holdRows("select from accounts where id = $1 for no key update", [lowest]);
    const settling = settleDueTransfers();
    await held.waiters(1);
    expect(await listUnlocked("accounts", others)).toEqual(others);
    await held.release();
    await settling;
    expect(await countTransfers(client, "processed")).toBe(10);
  });
});

describe("settling while an account is being changed", () => {
  test("uses the balance after the concurrent change", async () => {
    const { client, sourceId, walletId, transferId } = await payout(5_000);
    await advanceClock(client, delaySeconds);
    const { settling } = await inTransaction(async (tx) => {
      await fundAccount(tx, { accountId: sourceId, amountCents: 700 });
      return { settling: await waiting(settleDueTransfers()) };
    });
    await settling.done;
    expect((await statusOf(client, transferId)).status).toBe("processed");
    expect(await balanceOf(client, sourceId)).toEqual({ balance: 995_700, held: 0 });
    expect(await balanceOf(client, walletId)).toEqual({ balance: 5_000, held: 0 });
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("fails a transfer whose destination is being closed", async () => {
    const { client, sourceId, walletId, transferId } = await payout(5_000);
    await advanceClock(client, delaySeconds);
    const { settling } = await inTransaction(async (tx) => {
      await closeAccount(tx, { id: walletId, clientId: client.clientId });
      return { settling: await waiting(settleDueTransfers()) };
    });
    await settling.done;
    expect(await statusOf(client, transferId)).toEqual({ status: "failed", failureReason: "account_closed" });
    expect(await balanceOf(client, sourceId)).toEqual({ balance: 1_000_000, held: 0 });
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("skips a transfer that is being decided manually, and sends webhooks only for those it ended", async () => {
    const { client, business, sourceId, walletId, transferId } = await payout(5_000);
    const order = { sourceId, destinationId: walletId, amountCents: 100 };
    const neighbourId = transferIdOf(await bookTestRoutine(business, order));
    await advanceClock(client, delaySeconds);
    const held = await holdRows("select from transfers where id = $1 for no key update", [transferId]);
    await settleDueTransfers();
    expect((await statusOf(client, neighbourId)).status).toBe("processed");
    expect((await announced(client)).map(({ resourceId }) => resourceId)).toContain(neighbourId);
    expect(await announced(client)).toHaveLength(2);
    await held.release();
    await settleDueTransfers();
    expect((await statusOf(client, transferId)).status).toBe("processed");
    expect(await announced(client)).toHaveLength(4);
  });
});

/** Work that waits for a lock; wrapped, so that the caller doesn't wait for its end. */
async function waiting(done: Promise<unknown>): Promise<{ done: Promise<unknown> }> {
  const watched = await holdRows("select", []);
  await watched.waiters(1);
  await watched.release();
  return { done };
}

describe("one bad row among due transfers", () => {
  test("an account with a wrong held amount doesn't delay other transfers; its own is quarantined and counted", async () => {
    const [sound, broken, neighbour] = [await payout(5_000), await payout(5_000), await payout(5_000)];
    await corrupt("update accounts set held_cents = 0 where id = $1", [broken.sourceId]);
    for (const { client } of [sound, broken, neighbour]) await advanceClock(client, delaySeconds);
    const counted = await quarantined("transfer");
    await settleDueTransfers();
    for (const { client, transferId } of [sound, neighbour]) {
      expect((await statusOf(client, transferId)).status).toBe("processed");
    }
    expect((await statusOf(broken.client, broken.transferId)).status).toBe("pending");
    expect(await announced(broken.client)).toEqual([]);
    expect(await quarantined("transfer")).toBe(counted + 1);

    // Quarantined until its retry; once repaired, it settles then.
    expect(await settleDueTransfers()).not.toBe(0);
    await corrupt("update accounts set held_cents = 5000 where id = $1", [broken.sourceId]);
    await endQuarantines();
    await settleDueTransfers();
    expect((await statusOf(broken.client, broken.transferId)).status).toBe("processed");
    expect(await quarantined("transfer")).toBe(counted);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("an account with a wrong held amount delays only the transfers it can't cover", async () => {
    const { client, business, sourceId, walletId: destinationId } = await payout(100);
    for (let count = 1; count < 20; count++) {
      await bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 });
    }
    await corrupt("update accounts set held_cents = 1900 where id = $1", [sourceId]);
    await advanceClock(client, delaySeconds);
    await settleDueTransfers();
    expect([await countTransfers(client, "processed"), await countTransfers(client, "pending")]).toEqual([19, 1]);
    await corrupt("update accounts set held_cents = 100 where id = $1", [sourceId]);
    await endQuarantines();
    await settleDueTransfers();
    expect(await countTransfers(client, "processed")).toBe(20);
  });

  test("an account locked for a long time delays only its own transfers", async () => {
    const [held, free] = [await payout(5_000), await payout(5_000)];
    for (const { client } of [held, free]) await advanceClock(client, delaySeconds);
    const rows = await holdRows("select from accounts where id = $1 for no key update", [held.sourceId]);
    await settleDueTransfers();
    expect((await statusOf(free.client, free.transferId)).status).toBe("processed");
    expect((await statusOf(held.client, held.transferId)).status).toBe("pending");
    await rows.release();
    await endQuarantines();
    await settleDueTransfers();
    expect((await statusOf(held.client, held.transferId)).status).toBe("processed");
  });
});

async function corrupt(statement: string, values: unknown[]): Promise<void> {
  await servicePool().query(statement, values);
}

describe("the database refuses", () => {
  test("to change or delete an entry, to post what does not sum to zero, to overdraw an account", async () => {
    const { client, sourceId, walletId } = await payout(100);
    const pool = servicePool();
    await expect(pool.query("update entries set amount_cents = 1")).rejects.toThrow("cannot be updated or deleted");
    await expect(pool.query("delete from entries")).rejects.toThrow("cannot be updated or deleted");
    await expect(pool.query("truncate entries")).rejects.toThrow("cannot be updated or deleted");
    await expect(
      pool.query(
        `insert into entries (posting_id, account_id, amount_cents, created_at)
         values (gen_random_uuid(), $1, 5, now())`,
        [walletId],
      ),
    ).rejects.toThrow("must sum to zero");
    await expect(
      pool.query("update accounts set balance_cents = held_cents - 1 where id = $1", [sourceId]),
    ).rejects.toThrow("accounts_available_not_negative");
    const [row] = (await pool.query("select count(*)::int as n from holds where account_id = $1", [sourceId])).rows;
    expect(row).toEqual({ n: 1 });
    expect(await countTransfers(client, "pending")).toBe(1);
  });
});

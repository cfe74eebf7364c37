import { describe, expect, test } from "vitest";
import { findAccountOfClient, findOrOpenFundingAccount } from "../../storage/accounts.ts";
import { database, servicePool } from "../../storage/database.ts";
import { createTestClient } from "../../testing/clients.ts";
import { advanceClock } from "../../testing/clock.ts";
import { holdAccount, holdRows } from "../../testing/hold-rows.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import {
  bookTestRoutine,
  countTransfers,
  fundTestBusiness,
  insertTestSeller,
  testBookRequest,
  transferIdOf,
} from "../../testing/payouts.ts";
import { endQuarantines } from "../../testing/quarantine.ts";
import { serveSets } from "../run-set.ts";
import { waysToBook } from "./book-sets.ts";
import { divideAccount } from "./divide-account.ts";
import { settleDueTransfers } from "./settle-transfers.ts";

async function dividedBusiness({ cents, parts }: { cents: number; parts: number }) {
  const client = await createTestClient();
  const business = await fundTestBusiness(client, [cents]);
  const { walletId: destinationId } = await insertTestSeller(client);
  const [sourceId = ""] = business.accountIds;
  expect(await divideAccount(sourceId, parts)).toEqual({ kind: "divided", partsBefore: 0 });
  const order = (amountCents: number) => ({ sourceId, destinationId, amountCents });
  const account = async () => findAccountOfClient(database(), { id: sourceId, clientId: client.clientId });
  return {
    client,
    business,
    sourceId,
    order,
    account,
    book: (amountCents: number) => bookTestRoutine(business, order(amountCents)),
  };
}

function availableByPart(accountId: string): Promise<number[]> {
  return servicePool()
    .query<{ cents: number }>(
      `select (balance_cents - held_cents)::int as cents from account_parts where account_id = $1 order by number`,
      [accountId],
    )
    .then(({ rows }) => rows.map(({ cents }) => cents));
}

describe("a divided account", () => {
  test("pays what its parts have together, though none of them has it, and not a cent more", async () => {
    const { client, sourceId, book, account } = await dividedBusiness({ cents: 100, parts: 3 });
    expect(await availableByPart(sourceId)).toEqual([34, 33, 33]);
    expect((await book(101)).kind).toBe("insufficient_funds");
    expect((await book(70)).kind).toBe("created");
    expect(await availableByPart(sourceId)).toEqual([10, 10, 10]);
    expect((await book(31)).kind).toBe("insufficient_funds");
    expect((await book(30)).kind).toBe("created");
    expect((await book(1)).kind).toBe("insufficient_funds");
    expect(await account()).toMatchObject({ balanceCents: 100, heldCents: 100, parts: 3 });
    await advanceClock(client, 2);
    await settleDueTransfers();
    expect(await account()).toMatchObject({ balanceCents: 0, heldCents: 0 });
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("draws from a part that nobody holds, and waits for one only where all are held", async () => {
    const { business, sourceId, order } = await dividedBusiness({ cents: 40_000, parts: 2 });
    const part = "select from account_parts where account_id = $1 and number = $2 for no key update";
    const easy = async () => {
      const outcomes = await waysToBook.inOneStatement([testBookRequest(business, order(100))], {
        passOverHeld: false,
      });
      return outcomes.map((outcome) => outcome?.kind);
    };
    const first = await holdRows(part, [sourceId, 1]);
    for (let count = 0; count < 4; count++) expect(await easy()).toEqual(["created"]);
    expect(await availableByPart(sourceId)).toEqual([20_000, 19_600]);
    const second = await holdRows(part, [sourceId, 2]);
    const waiting = easy();
    await first.waiters(1);
    await second.release();
    await first.release();
    expect(await waiting).toEqual(["created"]);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("of which somebody holds a part keeps waiting only what concerns it: a booking is busy, a transfer set aside", async () => {
    const { client, business, sourceId, order, book } = await dividedBusiness({ cents: 1_000, parts: 2 });
    const transferId = transferIdOf(await book(100));
    await advanceClock(client, 2);
    const held = await holdRows("select from account_parts where account_id = $1 and number = 2 for no key update", [
      sourceId,
    ]);
    const request = testBookRequest(business, order(1));
    expect(await waysToBook.carefully([request], { passOverHeld: true })).toEqual([{ kind: "busy" }]);
    await settleDueTransfers();
    expect(await countTransfers(client, "pending")).toBe(1);
    const { rows } = await servicePool().query("select from quarantine where id = $1", [transferId]);
    expect(rows).toHaveLength(1);
    await held.release();
    await endQuarantines();
    await settleDueTransfers();
    expect(await countTransfers(client, "processed")).toBe(1);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("pays one large amount although two processes draw small ones from it all the time", async () => {
    const { business, order, book } = await dividedBusiness({ cents: 4_000_000, parts: 4 });
    const processes = [serveSets(waysToBook), serveSets(waysToBook), serveSets(waysToBook)];
    let isOver = false;
    let small = 0;
    const drawing = processes.map(async (serve) => {
      while (!isOver) {
        const outcomes = await Promise.all(await serve([testBookRequest(business, order(1))]));
        for (const { kind } of outcomes) expect(kind).toBe("created");
        small += outcomes.length;
      }
    });
    for (let count = 0; count < 3; count++) {
      const before = small;
      expect((await book(1_100_000)).kind).toBe("created");
      await expect.poll(() => small).toBeGreaterThan(before + 20);
    }
    isOver = true;
    await Promise.all(drawing);
    expect(await findLedgerProblems()).toEqual([]);
  });
});

describe("dividing an account", () => {
  test("into any number of parts and back while it is booked from and settled: none is refused, and the books agree", async () => {
    const { client, sourceId, book, account } = await dividedBusiness({ cents: 1_000_000, parts: 4 });
    let isOver = false;
    const kinds: string[] = [];
    const booking = Array.from({ length: 8 }, async () => {
      while (!isOver) kinds.push((await book(10)).kind);
    });
    const settling = (async () => {
      while (!isOver) {
        await advanceClock(client, 2);
        await settleDueTransfers();
      }
    })();
    for (const parts of [2, 8, 0, 3, 16, 1, 0, 5, 4]) {
      const before = kinds.length;
      expect((await divideAccount(sourceId, parts)).kind).toBe("divided");
      await expect.poll(() => kinds.length).toBeGreaterThan(before + 30);
    }
    isOver = true;
    await Promise.all([...booking, settling]);
    expect(new Set(kinds)).toEqual(new Set(["created"]));
    await advanceClock(client, 2);
    await settleDueTransfers();
    expect(await countTransfers(client, "processed")).toBe(kinds.length);
    expect(await account()).toMatchObject({ balanceCents: 1_000_000 - 10 * kinds.length, heldCents: 0, parts: 4 });
    expect(await findLedgerProblems()).toEqual([]);
  }, 60_000);

  test("keeps what is held, though the part in which it was held is no more", async () => {
    const { client, business, sourceId, order, account } = await dividedBusiness({ cents: 1_000, parts: 2 });
    const first = await holdRows("select from account_parts where account_id = $1 and number = 1 for no key update", [
      sourceId,
    ]);
    await waysToBook.inOneStatement([testBookRequest(business, order(300))], { passOverHeld: false });
    await first.release();
    expect(await availableByPart(sourceId)).toEqual([500, 200]);
    for (const parts of [1, 0, 3, 2, 1]) {
      expect((await divideAccount(sourceId, parts)).kind).toBe("divided");
      expect(await account()).toMatchObject({ balanceCents: 1_000, heldCents: 300, parts });
      expect(await findLedgerProblems()).toEqual([]);
    }
    await advanceClock(client, 2);
    await settleDueTransfers();
    expect(await account()).toMatchObject({ balanceCents: 700, heldCents: 0 });
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("lets those pass that hold the account, and gives up in the end; nothing has changed then", async () => {
    const { sourceId, account } = await dividedBusiness({ cents: 100, parts: 2 });
    const held = await holdAccount(sourceId);
    await expect(divideAccount(sourceId, 4, { tryForMs: 300 })).rejects.toThrow("lock timeout");
    await held.release();
    expect(await account()).toMatchObject({ balanceCents: 100, parts: 2 });
  });

  test("is refused where there is none, for a funding account, and where its holds do not agree", async () => {
    const { client, sourceId, book } = await dividedBusiness({ cents: 100, parts: 2 });
    const nobody = "01900000-0000-7000-8000-000000000000";
    expect(await divideAccount(nobody, 2)).toEqual({ kind: "account_not_found" });
    const fundingId = await findOrOpenFundingAccount(database(), client.clientId);
    expect(await divideAccount(fundingId, 2)).toEqual({ kind: "account_not_divisible" });
    await book(10);
    await servicePool().query("update account_parts set held_cents = held_cents + 1 where account_id = $1", [sourceId]);
    expect(await divideAccount(sourceId, 4)).toEqual({ kind: "books_disagree" });
    await servicePool().query("update account_parts set held_cents = held_cents - 1 where account_id = $1", [sourceId]);
  });
});

describe("the database itself refuses", () => {
  // The version before writes to an account's own row, whatever parts it has.
  test.each([
    ["to add to a divided account's own row", "update accounts set balance_cents = balance_cents + 1 where id = $1"],
    [
      "to release what a part holds there",
      "update accounts set balance_cents = balance_cents - 1, held_cents = held_cents - 1 where id = $1",
    ],
    ["more than 16 parts", "update accounts set parts = 17 where id = $1"],
    ["to overdraw a part", "update account_parts set balance_cents = held_cents - 1 where account_id = $1"],
    ["to delete a part that has money", "delete from account_parts where account_id = $1"],
    ["to give a part another number", "update account_parts set number = 9 where account_id = $1 and number = 1"],
  ])("%s", async (_, statement) => {
    const { sourceId } = await dividedBusiness({ cents: 100, parts: 2 });
    await expect(servicePool().query(statement, [sourceId])).rejects.toMatchObject({
      code: expect.stringMatching(/^23/),
    });
    expect(await findLedgerProblems()).toEqual([]);
  });
});

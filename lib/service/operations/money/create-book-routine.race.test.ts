import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { newId } from "../../../kit/ids.ts";
import { channels, deleteSleepingWorker, upsertSleepingWorker } from "../../storage/channels.ts";
import { database, servicePool } from "../../storage/database.ts";
import { idempotencyKeys } from "../../storage/schema.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { holdRows, listUnlocked } from "../../testing/hold-rows.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import {
  bookTestRoutine,
  closeAccount,
  countTransfers,
  fundTestBusiness,
  insertTestSeller,
  type TestBusiness,
  testBookRequest,
  voidTestKey,
} from "../../testing/routines.ts";
import { callerOf } from "../../testing/tokens.ts";
import { holdNotifications } from "../../testing/waiting-commits.ts";
import { serveSets } from "../run-set.ts";
import { refreshTokens } from "../tokens/grant-tokens.ts";
import { type BookRequest, booking } from "./create-book-routine.ts";

async function businessWith(...balancesCents: number[]) {
  const client = await createTestClient();
  const business = await fundTestBusiness(client, balancesCents);
  const seller = await insertTestSeller(client);
  const [sourceId = ""] = business.accountIds;
  return { client, business, sourceId, destinationId: seller.walletId };
}

const serveBookings = () => serveSets(booking);

function countKeys(client: TestClient): Promise<number> {
  return database().$count(idempotencyKeys, eq(idempotencyKeys.clientId, client.clientId));
}

/** Retries requests refused because of a lock, as the API does: on a busy machine, a set may not wait long enough for the lock. */
async function untilNoneIsBusy(serve: ReturnType<typeof serveBookings>, requests: BookRequest[]) {
  const decided: { kind: string }[] = [];
  for (let left = requests; left.length > 0; await delay(50)) {
    const decisions = await Promise.all(await serve(left));
    decided.push(...decisions.filter(({ kind }) => kind !== "busy"));
    left = left.filter((_, index) => decisions[index]?.kind === "busy");
  }
  return decided;
}

/** Locks an idempotency key like another request, until `release` is called. */
async function holdKey({ client, business }: { client: TestClient; business: TestBusiness }, key: string) {
  const connection = await servicePool().connect();
  await connection.query("begin");
  await connection.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
    `${client.clientId} ${business.userId} createBookRoutine ${key}`,
  ]);
  return async () => {
    await connection.query("rollback");
    connection.release();
  };
}

describe("a set of requests is answered like sequential requests", () => {
  test("with 100.00 available, refuses 150.00, then grants 50.00; the refused key stays usable", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(10_000);
    const keys = [randomUUID(), randomUUID()];
    const decisions = await Promise.all(
      [15_000, 5_000].map((amountCents, index) =>
        bookTestRoutine(business, { sourceId, destinationId, amountCents, idempotencyKey: keys[index] ?? "" }),
      ),
    );
    expect(decisions.map(({ kind }) => kind)).toEqual(["insufficient_funds", "created"]);
    expect(await countTransfers(client, "pending")).toBe(1);
    expect(await countKeys(client)).toBe(1);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("grants exactly what the balance allows when far more is requested concurrently", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(10_000);
    const decisions = await Promise.all(
      Array.from({ length: 300 }, () => bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 })),
    );
    expect(decisions.filter(({ kind }) => kind === "created")).toHaveLength(100);
    expect(decisions.slice(0, 100).every(({ kind }) => kind === "created")).toBe(true);
    expect(await countTransfers(client, "pending")).toBe(100);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("a request that arrives while its source's set is in flight follows it and sees its result", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(10_000);
    const account = await holdRows("select from accounts where id = $1 for no key update", [sourceId]);
    // More than one set can hold.
    const calls = Array.from({ length: 300 }, () =>
      bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 }),
    );
    await account.waiters(1);
    await account.release();
    const decisions = await Promise.all(calls);
    expect(decisions.slice(0, 100).every(({ kind }) => kind === "created")).toBe(true);
    expect(decisions.slice(100).every(({ kind }) => kind === "insufficient_funds")).toBe(true);
    expect(await countTransfers(client, "pending")).toBe(100);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("sets of two processes share one balance", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(10_000);
    const order = { sourceId, destinationId, amountCents: 100 };
    const account = await holdRows("select from accounts where id = $1 for no key update", [sourceId]);
    const processes = [serveBookings(), serveBookings()];
    const sets = processes.map((serve) =>
      untilNoneIsBusy(
        serve,
        Array.from({ length: 60 }, () => testBookRequest(business, order)),
      ),
    );
    // Each waits a quarter of a second at a time, so a slow machine may never show both waiting.
    await account.waiters(1);
    await account.release();
    const decisions = (await Promise.all(sets)).flat();
    expect(decisions).toHaveLength(120);
    expect(decisions.filter(({ kind }) => kind === "created")).toHaveLength(100);
    expect(await countTransfers(client, "pending")).toBe(100);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("refuses each request for its own reason only", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(10_000, 0);
    const elsewhere = await businessWith(5_000);
    const closed = (await insertTestSeller(client)).walletId;
    await closeAccount(database(), { id: closed, clientId: client.clientId });
    const orders = [
      { sourceId, destinationId, amountCents: 100 },
      { sourceId: newId(), destinationId, amountCents: 100 },
      { sourceId: destinationId, destinationId: sourceId, amountCents: 100 },
      { sourceId: elsewhere.sourceId, destinationId, amountCents: 100 },
      { sourceId, destinationId: elsewhere.destinationId, amountCents: 100 },
      { sourceId, destinationId: closed, amountCents: 100 },
      { sourceId: business.accountIds[1] ?? "", destinationId, amountCents: 1 },
      { sourceId: sourceId.toUpperCase(), destinationId, amountCents: 9_900 },
    ];
    const decisions = await Promise.all(orders.map((order) => bookTestRoutine(business, order)));
    expect(decisions.map(({ kind }) => kind)).toEqual([
      "created",
      "source_not_found",
      "source_not_found",
      "source_not_found",
      "destination_not_found",
      "instrument_not_usable",
      "insufficient_funds",
      "created",
    ]);
  });
});

describe("an idempotency key", () => {
  test("posted 100 times at once creates one routine; the rest are replays byte for byte", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(100_000);
    const order = { sourceId, destinationId, amountCents: 1_000, idempotencyKey: randomUUID() };
    const decisions = await Promise.all(Array.from({ length: 100 }, () => bookTestRoutine(business, order)));
    expect(decisions.filter(({ kind }) => kind === "created")).toHaveLength(1);
    expect(decisions.filter(({ kind }) => kind === "replayed")).toHaveLength(99);
    const routines = decisions.map((decision) => "routine" in decision && JSON.stringify(decision.routine));
    expect(new Set(routines).size).toBe(1);
    expect(await countTransfers(client, "pending")).toBe(1);
  });

  test("replays after a token refresh, and for the same order only", async () => {
    const { business, client, sourceId, destinationId } = await businessWith(100_000);
    const order = { sourceId, destinationId, amountCents: 1_000, idempotencyKey: randomUUID() };
    const first = await bookTestRoutine(business, order);
    const grant = await refreshTokens(business.tokens.refreshToken, { clientId: client.clientId });
    if (grant.kind !== "granted") throw new Error("The refresh token is good.");
    const caller = await callerOf(grant.accessToken);
    const routine = first.kind === "created" ? first.routine : undefined;
    expect(await bookTestRoutine({ caller }, order)).toEqual({ kind: "replayed", routine });
    expect(await bookTestRoutine({ caller }, { ...order, amountCents: 1_001 })).toEqual({
      kind: "idempotency_key_reused",
    });
  });

  test("is judged within a set too: same order replayed, other order refused, still unused after a refusal", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(1_000);
    const [key, freeKey] = [randomUUID(), randomUUID()];
    const order = { sourceId, destinationId, amountCents: 600 };
    const decisions = await Promise.all([
      bookTestRoutine(business, { ...order, amountCents: 5_000, idempotencyKey: freeKey }),
      bookTestRoutine(business, { ...order, idempotencyKey: key }),
      bookTestRoutine(business, { ...order, idempotencyKey: key }),
      bookTestRoutine(business, { ...order, idempotencyKey: key, name: "Another" }),
      bookTestRoutine(business, { ...order, amountCents: 400, idempotencyKey: freeKey }),
    ]);
    expect(decisions.map(({ kind }) => kind)).toEqual([
      "insufficient_funds",
      "created",
      "replayed",
      "idempotency_key_reused",
      "created",
    ]);
    expect(await countKeys(client)).toBe(2);
  });

  test("in flight elsewhere delays only its own request, which waits for the outcome", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(100_000);
    const order = { sourceId, destinationId, amountCents: 1_000 };
    const key = randomUUID();
    const release = await holdKey({ client, business }, key);
    const waiting = bookTestRoutine(business, { ...order, idempotencyKey: key });
    const neighbour = await bookTestRoutine(business, { ...order, idempotencyKey: randomUUID() });
    expect(neighbour.kind).toBe("created");
    await release();
    expect((await waiting).kind).toBe("created");
  });

  test("in flight elsewhere for more than two seconds is refused, and nothing is created", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(100_000);
    const key = randomUUID();
    const release = await holdKey({ client, business }, key);
    const startedAt = performance.now();
    const decision = await bookTestRoutine(business, { sourceId, destinationId, amountCents: 1, idempotencyKey: key });
    expect(decision).toEqual({ kind: "idempotency_in_progress" });
    expect(performance.now() - startedAt).toBeLessThan(4_900);
    await release();
    expect(await countTransfers(client, "pending")).toBe(0);
    expect(await countKeys(client)).toBe(0);
  });
});

describe("voiding an idempotency key", () => {
  test("races its booking: exactly one of the two wins, and both agree", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(1_000_000);
    const wins = { booked: 0, voided: 0 };
    for (let round = 0; round < 40; round++) {
      const order = { sourceId, destinationId, amountCents: 100, idempotencyKey: randomUUID() };
      const neighbour = bookTestRoutine(business, { ...order, idempotencyKey: randomUUID() });
      const [booked, voided, repeated] = await Promise.all([
        delay(round % 2 ? 0 : round % 8).then(() => bookTestRoutine(business, order)),
        delay(round % 2 ? round : 0).then(() => voidTestKey(business, order.idempotencyKey)),
        delay(round % 2 ? round : round % 5).then(() => voidTestKey(business, order.idempotencyKey)),
      ]);
      const isVoided = booked.kind === "idempotency_key_voided";
      wins[isVoided ? "voided" : "booked"] += 1;
      const routine = "routine" in booked ? booked.routine : undefined;
      const end = isVoided ? { kind: "voided" } : { kind: "replayed", routine };
      expect([booked.kind, voided, repeated]).toEqual([isVoided ? "idempotency_key_voided" : "created", end, end]);
      expect((await neighbour).kind).toBe("created");
    }
    expect(Math.min(wins.booked, wins.voided)).toBeGreaterThan(0);
    expect(await countTransfers(client, "pending")).toBe(40 + wins.booked);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("waits for a booking in flight elsewhere, and gives up after two seconds", async () => {
    const { client, business } = await businessWith(10_000);
    const key = randomUUID();
    const release = await holdKey({ client, business }, key);
    expect(await voidTestKey(business, key)).toEqual({ kind: "idempotency_in_progress" });
    const waiting = voidTestKey(business, key);
    await release();
    expect(await waiting).toEqual({ kind: "voided" });
    expect(await countKeys(client)).toBe(1);
  });

  test("in a set, only the booking under the voided key is refused", async () => {
    const { client, business, sourceId, destinationId } = await businessWith(10_000);
    const order = { sourceId, destinationId, amountCents: 100 };
    const key = randomUUID();
    await voidTestKey(business, key);
    const keys = [randomUUID(), key, randomUUID(), undefined];
    const booked = await Promise.all(
      keys.map((idempotencyKey) => bookTestRoutine(business, { ...order, idempotencyKey })),
    );
    expect(booked.map(({ kind }) => kind)).toEqual(["created", "idempotency_key_voided", "created", "created"]);
    expect(await countTransfers(client, "pending")).toBe(3);
    expect(await findLedgerProblems()).toEqual([]);
  });
});

describe("crossing transfers", () => {
  test("lock their accounts by id", async () => {
    const { business, destinationId } = await businessWith(...Array.from({ length: 10 }, () => 1_000));
    const [lowest = "", ...others] = business.accountIds.toSorted();
    const held = await holdRows("select from accounts where id = $1 for no key update", [lowest]);
    const calls = business.accountIds.map((sourceId) =>
      bookTestRoutine(business, { sourceId, destinationId, amountCents: 1 }),
    );
    await held.waiters(1);
    expect(await listUnlocked("accounts", others)).toEqual(others);
    await held.release();
    expect((await Promise.all(calls)).every(({ kind }) => kind === "created")).toBe(true);
  });

  test("200 transfers in both directions: no deadlock reaches a caller, and the ledger stays consistent", async () => {
    const { client, business } = await businessWith(1_000_000, 1_000_000);
    const [left = "", right = ""] = business.accountIds;
    const decisions = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const [sourceId, destinationId] = index % 2 ? [left, right] : [right, left];
        return bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 });
      }),
    );
    expect(decisions.every(({ kind }) => kind === "created")).toBe(true);
    expect(await countTransfers(client, "pending")).toBe(200);
    expect(await findLedgerProblems()).toEqual([]);
  });
});

test("a notifying commit that takes longer on disk than a set waits for locks causes no refusals", async () => {
  const { client, business, sourceId, destinationId } = await businessWith(10_000);
  const sleeper = { channel: channels.transfers, workerId: newId() };
  await upsertSleepingWorker(database(), { ...sleeper, sleepMs: 3_600_000 });
  const held = await holdNotifications();
  const bookings = Array.from({ length: 20 }, () =>
    bookTestRoutine(business, { sourceId, destinationId, amountCents: 100, idempotencyKey: randomUUID() }),
  );
  // Twice as long, and far below the two seconds after which a booking is refused.
  await delay(500);
  await held.release();
  expect(new Set((await Promise.all(bookings)).map(({ kind }) => kind))).toEqual(new Set(["created"]));
  expect(await countTransfers(client, "pending")).toBe(20);
  await deleteSleepingWorker(database(), sleeper);
});

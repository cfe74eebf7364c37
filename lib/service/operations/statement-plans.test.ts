import { beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../contract/limits.ts";
import { newId } from "../../kit/ids.ts";
import { sha256 } from "../../kit/secrets.ts";
import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { listDueItems } from "../sandbox/storage/due-items.ts";
import { listSandboxEvents, listSandboxFacts } from "../sandbox/storage/events.ts";
import { listIdempotencyKeys } from "../sandbox/storage/idempotency-keys.ts";
import { listNewestTokens } from "../sandbox/storage/issued-tokens.ts";
import { readMessages } from "../sandbox/visit-tools.ts";
import { listAccounts } from "../storage/accounts.ts";
import { database, inTransaction, servicePool } from "../storage/database.ts";
import { insertDeliveries, listDeliveries, lockDeliveriesInPeriod } from "../storage/deliveries.ts";
import {
  claimDeliveries,
  claimProbes,
  makeDeliveriesDue,
  parkDeliveries,
  readOutboxBacklog,
} from "../storage/delivery-queue.ts";
import { listUserIntents, listUsers } from "../storage/people.ts";
import { findTransfer, listRoutines, listTransfers, listTransfersOfClient } from "../storage/routines.ts";
import { claimDueScreenings, findNextScreeningMs } from "../storage/screenings.ts";
import { findOldestSettlementOrders, hasUnfinishedSettlementOrders } from "../storage/settlement-orders.ts";
import { listVisits } from "../storage/visits.ts";
import { advanceClock } from "../testing/clients.ts";
import { pollSettlementOrders } from "../testing/due-work.ts";
import { burstingClientId, deadClientId, fillDatabase } from "../testing/fill-database.ts";
import {
  bookTestRoutine,
  type ClientWithSeller,
  createClientWithSeller,
  type TestBusiness,
} from "../testing/routines.ts";
import { callerOf, insertTestCode, issueTestTokens } from "../testing/tokens.ts";
import { type RunStatement, watchPlans } from "../testing/watch-plans.ts";
import { listClients, readClient } from "./clients/read-clients.ts";
import { reconcile } from "./money/reconcile.ts";
import { applySettlementAnswer, orderDueTransfers } from "./money/settle-by-provider.ts";
import { settleDueTransfers } from "./money/settle-transfers.ts";
import { authenticateAccessToken } from "./tokens/authenticate.ts";
import { refreshTokens, revokeAuthorizations } from "./tokens/grant-tokens.ts";
import { recordAttempts } from "./webhooks/send-deliveries.ts";

// The most that one statement may read, however full the database is: a page of a list, or a set of requests.
const rowsMax = 2_000;
const pagesMax = 4_000;
const page = { limit: limits.pageSizeMax, startingAfter: undefined, routineId: undefined, status: undefined };

let statementsOf: (work: () => Promise<unknown>) => Promise<RunStatement[]>;
let bigTables: Set<string>;
let client: ClientWithSeller;
let busy: ClientWithSeller;
let business: Pick<TestBusiness, "caller">;

beforeAll(async () => {
  statementsOf = await watchPlans();
  [client, busy] = [await createClientWithSeller(), await createClientWithSeller()];
  business = { caller: await callerOf(client.businessToken) };
  await fillDatabase(busy);
  // By size, because statistics may be older than the rows.
  const { rows } = await servicePool().query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 500000",
  );
  bigTables = new Set(rows.map(({ name }) => name));
});

test("the database has enough rows for these tests", () => {
  expect([...bigTables].sort()).toEqual(
    expect.arrayContaining([
      "access_tokens",
      expect.stringMatching(/^deliveries_first$/),
      expect.stringMatching(/^deliveries_\d{4}_\d\d$/),
      "entries",
      "refresh_tokens",
      "routines",
      "transfers",
      "visits",
    ]),
  );
});

describe("a list reads no more than its page", () => {
  test.each([
    ["a business that created most of them", () => busy.businessUserId],
    ["a seller who received a fifth of them", () => "01900001-0000-7000-8000-000000000001"],
    ["a seller who received none", () => client.sellerId],
  ])("GET /v1/transfers of %s", async (_, userId) => {
    const lists = [
      page,
      { ...page, status: "failed" as const },
      { ...page, status: "cancelled" as const },
      { ...page, startingAfter: "01900005-0000-7000-8000-000000008000" },
      { ...page, routineId: "01900004-0000-7000-8000-000000000001" },
    ];
    for (const list of lists) await staysSmall(() => listTransfers(database(), { ...list, userId: userId() }));
    await staysSmall(() => findTransfer(database(), { id: "01900005-0000-7000-8000-000000000001", userId: userId() }));
  });

  test("GET /v1/routines, GET /v1/accounts", async () => {
    await staysSmall(() => listRoutines(database(), { ...page, userId: busy.businessUserId }));
    await staysSmall(() => listAccounts(database(), busy.businessUserId));
  });

  test("the sandbox's lists", async () => {
    const { clientId } = busy;
    const list = { clientId, limit: limits.pageSizeMax };
    await staysSmall(() => listUsers(database(), list));
    await staysSmall(() => listUserIntents(database(), list));
    await staysSmall(() => listDeliveries(database(), { ...page, clientId }));
    const startingAfter = "01900009-0000-7000-8000-000000004000";
    await staysSmall(() => listDeliveries(database(), { ...page, clientId, startingAfter }));
    const newest = { from: "newest", limit: list.limit, bytesMax: 1_000_000 } as const;
    const first = { ...newest, from: "first" } as const;
    await staysSmall(() => listSandboxEvents(list, newest));
    await staysSmall(() => listSandboxEvents({ ...list, kind: "delivery" }, newest));
    await staysSmall(() => listSandboxEvents({ ...list, after: 0 }, first));
    await staysSmall(() => listSandboxEvents({ ...list, after: 0, join: "visit:none" }, first));
    await staysSmall(() => listSandboxFacts({ ...list, after: 0 }, list));
    await staysSmall(() => readMessages(clientId, "+12025550100"));
    await staysSmall(() => listVisits(database(), list));
    await staysSmall(() => listNewestTokens(database(), list));
    await staysSmall(() => listTransfersOfClient(database(), list));
    for (const one of [busy, client]) {
      await staysSmall(() => readLedger(one));
      await staysSmall(() => readLedger(one, "01900005-0000-7000-8000-000000008000"));
    }
    // For a busy client; one with many older keys reads only its own.
    await staysSmall(() => listIdempotencyKeys(database(), list));
    await staysSmall(() => listIdempotencyKeys(database(), { ...list, clientId: client.clientId }));
    // As many of each kind as the list can show.
    const limit = rowsMax / 4;
    await staysSmall(() => listDueItems(database(), { clientId, seconds: 60, limit }));
    // May read all the client's pending rows. A sandbox has few; here there are twenty thousand of each kind.
    await staysSmall(() => listDueItems(database(), { clientId, seconds: 30 * 86_400, limit }), { rows: 50_000 });
  });
});

describe("an operator's reads touch no more than they show", () => {
  test("a client, all clients, and the webhooks of a period", async () => {
    for (const { clientId } of [busy, client]) await staysSmall(() => readClient(clientId));
    await staysSmall(() => listClients(page));
    await staysSmall(() => listClients({ ...page, startingAfter: "filler-5" }));
    const [from, until] = [new Date("2024-06-20T00:00:00Z"), new Date("2031-01-01T00:00:00Z")];
    const time = { from, until, limit: 100 };
    for (const { clientId } of [busy, client]) {
      await staysSmall(() => inTransaction((tx) => lockDeliveriesInPeriod(tx, { clientId, ...time })));
    }
  });
});

describe("a hot statement reads no more than its own rows", () => {
  test("bearer lookup, refresh, exchange", async () => {
    const { clientId, sellerId, businessToken } = client;
    await staysSmall(() => authenticateAccessToken(businessToken));
    await staysSmall(async () => {
      const { refreshToken } = await issueTestTokens(client, sellerId);
      await refreshTokens(refreshToken, { clientId });
    });
  });

  test("booking and settling", async () => {
    const { operatingId: sourceId, walletId: destinationId } = client;
    await staysSmall(async () => {
      const order = { sourceId, destinationId, amountCents: 100, idempotencyKey: newId() };
      const decision = await bookTestRoutine(business, order);
      expect(decision.kind).toBe("created");
      await bookTestRoutine(business, order);
    });
    await advanceClock(client, 5);
    await staysSmall(settleDueTransfers);
  });

  test("simple operations are one statement", async () => {
    const { operatingId: sourceId, walletId: destinationId } = client;
    const order = () => ({ sourceId, destinationId, amountCents: 100, idempotencyKey: newId() });
    const book = () => Promise.all([1, 2, 3].map(() => bookTestRoutine(business, order())));
    // The connection's first statement identifies it.
    await book();
    expect(await statementsOf(book)).toHaveLength(1);
    const { refreshToken } = await issueTestTokens(client, client.sellerId);
    expect(await statementsOf(() => refreshTokens(refreshToken, client))).toHaveLength(1);
    await advanceClock(client, 5);
    const settled = await statementsOf(settleDueTransfers);
    expect(settled.filter(({ text }) => /\b(?:update|insert|delete|for no key update)\b/.test(text))).toHaveLength(1);
  });

  test("webhooks: inserting, claiming, recording; the outbox's depth", async () => {
    const { clientId, businessUserId: userId } = client;
    await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9" } });
    const event = { clientId, webhookType: "user_updated" as const, userId, resourceId: userId, traceId: "" };
    await staysSmall(() => inTransaction((tx) => insertDeliveries(tx, [event, event])));
    // Everything that is due, and no more.
    await staysSmall(() => readOutboxBacklog(database()), { rows: 10_000 + rowsMax });
    // Each of 256 rows is written twice, with three index entries.
    const pages = 256 * 40;
    const claim = {
      after: "",
      batchSize: 512,
      perClientMax: 64,
      quickClientIds: [],
      limitedClients: new Map(),
      perQuickClientMax: 256,
      leaseSeconds: 30,
      busyClientIds: [],
    };
    await staysSmall(
      async () => {
        await claimDeliveries(database(), { ...claim, busyClientIds: [burstingClientId] });
        // The largest set of a fast client.
        const { deliveries: claimed } = await claimDeliveries(database(), {
          ...claim,
          quickClientIds: [burstingClientId],
        });
        expect(claimed.length).toBeGreaterThanOrEqual(256);
        const result = {
          attempt: 1,
          sentAt: new Date(),
          durationMs: 1,
          responseStatus: 500,
          error: null,
          isGone: false,
        };
        await recordAttempts(
          claimed.map(({ id, clientId, leasedUntil, url }) => ({
            ...result,
            deliveryId: id,
            clientId,
            leasedUntil,
            url,
            status: "pending" as const,
            delayMs: 5000,
            nextProbeMs: 5000,
            isProbe: false,
          })),
        );
      },
      { pages },
    );
    const many = { fallenDueMax: 1000, endpointsMax: 256, perClientMax: 128 };
    const idle = { ...claim, busyClientIds: [burstingClientId] };
    // After five runs on a connection, PostgreSQL may plan a prepared statement without its values.
    for (let run = 0; run < 7; run++) {
      await staysSmall(() => claimDeliveries(database(), idle));
      await staysSmall(() => makeDeliveriesDue(servicePool(), many));
    }
    await staysSmall(() => claimProbes(database(), { limit: 256, leaseSeconds: 30 }));
    await staysSmall(() =>
      parkDeliveries(database(), { clientIds: [deadClientId, burstingClientId], perClientMax: 128 }),
    );
  });

  test("due screenings", async () => {
    await staysSmall(() => claimDueScreenings(database(), { limit: 50, leaseMs: 0 }));
    await staysSmall(() => findNextScreeningMs(database()));
  });

  test("settlement orders: opening, claiming, applying, the oldest", async () => {
    const { operatingId: sourceId, walletId: destinationId } = client;
    chooseProviders({ ...sandboxProviders, settlement: { order: settled, poll: settled } });
    for (const _ of [1, 2, 3]) await bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 });
    await advanceClock(client, 5);
    await staysSmall(orderDueTransfers);
    await staysSmall(() => pollSettlementOrders({ order: settled, poll: settled }));
    const { rows } = await servicePool().query<{ id: string }>(
      "select transfer_id as id from settlement_orders where client_id = $1",
      [client.clientId],
    );
    for (const { id } of rows) {
      await staysSmall(() => applySettlementAnswer(id, { kind: "returned", reason: "unspecified" }));
    }
    await staysSmall(() => findOldestSettlementOrders(database()));
    await staysSmall(() => hasUnfinishedSettlementOrders(database()));
    chooseProviders(sandboxProviders);
  });
});

test("revoking an authorization with forty thousand tokens updates none of them", async () => {
  await insertTestCode(busy, busy.sellerId);
  await servicePool().query(
    `insert into refresh_tokens (token_hash, authorization_id, client_id, user_id, expires_at, created_at)
     select $1::bytea, authorization_id, client_id, user_id, expires_at, created_at from refresh_tokens
     where token_hash = sha256('refresh 1')`,
    [sha256("one of many")],
  );
  await staysSmall(() => revokeAuthorizations("one of many", { clientId: busy.clientId }));
  expect(await refreshTokens("one of many", { clientId: busy.clientId })).toEqual({
    kind: "invalid_grant",
    cause: "refresh_token_revoked",
  });
});

test("a page of the reconciliation reads only its own and related rows, and scans no table", async () => {
  const statements = await statementsOf(reconcile);
  // An account is read with all its entries, however many.
  const ofAccounts = statements.filter(({ text }) => text.includes("from page a order by a.id"));
  expect(ofAccounts.length).toBeGreaterThan(0);
  expect(statements.length).toBeGreaterThan(100);
  // Ended transfers are compared with all webhooks around their end.
  const ofWebhooks = statements.filter(({ text }) => text.includes("unannounced_routines as"));
  expect(ofWebhooks.length).toBeGreaterThan(0);
  const unbounded = new Set([...ofAccounts, ...ofWebhooks]);
  expect(statements.filter((one) => one.rowsExamined > 8 * rowsMax && !unbounded.has(one))).toEqual([]);
  const reading = statements.filter(({ wholeTables }) => wholeTables.some((table) => bigTables.has(table)));
  expect(reading.filter((one) => !ofAccounts.includes(one))).toEqual([]);
});

describe("with most rows owned by one owner, except the newest, and one status for all transfers", () => {
  // These tests come last, because they change stored rows.
  beforeAll(async () => {
    const connection = await servicePool().connect();
    await connection.query("set session_replication_role = replica");
    const newest = [client.businessUserId, "01900004-0000-7000-8000-00000000c000"];
    await connection.query("update routines set user_id = $1 where id > $2", newest);
    await connection.query("update transfers set user_id = $1 where routine_id > $2", newest);
    const others = (kind: number) => [client.clientId, `0190000${kind}-0000-7000-8000-000000003000`];
    await connection.query("update users set client_id = $1 where id > $2 and user_type = 'personal'", others(1));
    await connection.query("update user_intents set client_id = $1 where id > $2", others(3));
    await connection.query(
      `insert into entries (posting_id, account_id, amount_cents, created_at)
       select md5(i::text)::uuid, side.account_id, side.cents, now()
       from accounts funding cross join generate_series(1, 10000) i
         cross join lateral (values (funding.id, -100), ($2::uuid, 100)) side (account_id, cents)
       where funding.client_id = $1 and funding.type = 'funding'`,
      [busy.clientId, busy.operatingId],
    );
    // Before vacuum, index scans must visit the rows.
    await connection.query("update transfers set status = 'processed', failure_reason = null");
    await connection.query("analyze transfers, routines, users, user_intents, entries");
    connection.release(true);
  });
  const list = { ...page, limit: limits.pageSizeDefault };

  test("a list of transfers reads no more than its page", async () => {
    for (const userId of [busy.businessUserId, client.sellerId]) {
      await staysSmall(() => listTransfers(database(), { ...list, userId }));
      await staysSmall(() => listTransfers(database(), { ...list, userId, status: "failed" }));
    }
    await staysSmall(() => listTransfersOfClient(database(), { ...list, clientId: busy.clientId }));
  });

  test("a page of the ledger reads no more than its own rows, even with very many fundings", async () => {
    await staysSmall(() => readLedger(busy));
    await staysSmall(() => readLedger(busy, "80000000-0000-4000-8000-000000000000"));
  });

  test("a list of a client's people reads no more than its page", async () => {
    await staysSmall(() => listUsers(database(), { ...list, clientId: busy.clientId }));
    await staysSmall(() => listUserIntents(database(), { ...list, clientId: busy.clientId }));
  });

  test("a list of routines reads no more than its page", async () => {
    await staysSmall(() => listRoutines(database(), { ...list, userId: busy.businessUserId }));
    const startingAfter = "01900004-0000-7000-8000-000000001000";
    await staysSmall(() => listRoutines(database(), { ...list, userId: busy.businessUserId, startingAfter }));
  });
});

const settled = async () => ({ kind: "settled" as const });

async function staysSmall(work: () => Promise<unknown>, { rows = rowsMax, pages = pagesMax } = {}): Promise<void> {
  const statements = await statementsOf(work);
  expect(statements.length).toBeGreaterThan(0);
  const large = statements.filter(
    (statement) =>
      statement.rowsExamined > rows ||
      statement.pages > pages ||
      statement.wholeTables.some((table) => bigTables.has(table)),
  );
  expect.soft(large).toEqual([]);
}

/** A page of a client's ledger, over the sandbox API. */
async function readLedger(of: ClientWithSeller, startingAfter?: string): Promise<void> {
  const after = startingAfter === undefined ? "" : `&starting_after=${startingAfter}`;
  const { status } = await of.call("GET", `/sandbox/ledger?limit=${limits.pageSizeMax}${after}`);
  expect(status).toBe(200);
}

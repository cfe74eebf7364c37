import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SettlementAnswer, SettlementFailure, SettlementProvider } from "../../contract/providers.ts";
import { isLockTimeout } from "../../kit/database-errors.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { reconcile } from "../operations/money/reconcile.ts";
import { applySettlementAnswer, orderDueTransfers } from "../operations/money/settle-by-provider.ts";
import { readMetrics } from "../operations/read-metrics.ts";
import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { findAccountOfClient, listFundingAccounts } from "../storage/accounts.ts";
import { database, servicePool } from "../storage/database.ts";
import { settlementOrders } from "../storage/schema.ts";
import { returnLosses } from "../storage/transfer-returns.ts";
import { advanceClock } from "../testing/clients.ts";
import { bodiesOf } from "../testing/deliveries.ts";
import { pollSettlementOrders } from "../testing/due-work.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { findLedgerProblems } from "../testing/ledger-problems.ts";
import {
  bookTestRoutine,
  type ClientWithSeller,
  closeAccount,
  createClientWithSeller,
  fundTestBusiness,
  insertTestSeller,
  type TestBusiness,
  transferIdOf,
} from "../testing/routines.ts";
import { callerOf } from "../testing/tokens.ts";

const readLog = logToFile();
const settled = async (): Promise<SettlementAnswer> => ({ kind: "settled" });
let answer: () => Promise<SettlementAnswer>;
let polled: { id: string; reference: string }[];
const provider: SettlementProvider = {
  order: () => answer(),
  poll: (pending) => {
    polled.push(pending);
    return answer();
  },
};

let client: ClientWithSeller;
let business: Pick<TestBusiness, "caller">;
beforeEach(async () => {
  [answer, polled] = [settled, []];
  chooseProviders({ ...sandboxProviders, settlement: provider });
  client = await createClientWithSeller();
  business = { caller: await callerOf(client.businessToken) };
});
afterEach(async () => {
  expect(await findLedgerProblems()).toEqual([]);
  expect((await reconcile()).problems).toEqual([]);
});

/** Creates a payment, sends its order to the provider, and returns its transfer's id. */
async function pay(amountCents: number, destinationId = client.walletId): Promise<string> {
  const { operatingId: sourceId } = client;
  const id = transferIdOf(await bookTestRoutine(business, { sourceId, destinationId, amountCents }));
  await advanceClock(client, 2);
  await orderDueTransfers();
  await pollSettlementOrders(provider);
  return id;
}

const bringBack = (id: string, reason: SettlementFailure = "account_closed") =>
  applySettlementAnswer(id, { kind: "returned", reason });

const orderOf = async (id: string) => {
  const [row] = await database().select().from(settlementOrders).where(eq(settlementOrders.transferId, id));
  return row ?? expect.fail("no order");
};

const balanceOf = async (id: string) =>
  (await findAccountOfClient(database(), { id, clientId: client.clientId }))?.balanceCents;

async function lossCents(): Promise<number | undefined> {
  const treasury = await listFundingAccounts(database(), client.clientId);
  const losses = treasury.find(({ name }) => name === returnLosses);
  return losses && 0 - losses.balanceCents;
}

async function readTransfer(id: string | null, bearer = client.businessToken) {
  return (await client.call("GET", `/v1/transfers/${id}`, { bearer })).json;
}

/** Spends the seller's money outside of transfers, as another posting of the treasury would. */
async function spend(cents: number): Promise<void> {
  const [treasury] = await listFundingAccounts(database(), client.clientId);
  await servicePool().query(
    `with posted as (
       insert into entries (posting_id, account_id, amount_cents, created_at)
       select posting, account, cents, now() from gen_random_uuid() posting,
         lateral (values ($1::uuid, -$3::bigint), ($2::uuid, $3::bigint)) side (account, cents)
       returning account_id, amount_cents
     )
     update accounts a set balance_cents = balance_cents + p.amount_cents from posted p where a.id = p.account_id`,
    [client.walletId, treasury?.id, cents],
  );
}

// As some providers write UUIDs.
test("a return reported under an id in capitals is named after the transfer's own id", async () => {
  const id = await pay(1_200);
  await applySettlementAnswer(id.toUpperCase(), { kind: "returned", reason: "account_closed" });
  const { returnTransferId } = await orderOf(id);
  expect(await readTransfer(returnTransferId)).toMatchObject({ routine_name: `Return of ${id}: account_closed` });
});

test("a returned transfer stays processed; a transfer from the receiver brings the money back, and both parties can read it", async () => {
  const id = await pay(1_200);
  await bringBack(id);
  expect(await readTransfer(id)).toMatchObject({ status: "processed", failure_reason: null });
  const { state, returnTransferId } = await orderOf(id);
  expect(state).toBe("returned");
  const back = await readTransfer(returnTransferId);
  expect(back).toMatchObject({
    amount: 12,
    source_id: client.walletId,
    destination_id: client.operatingId,
    status: "processed",
    routine_name: `Return of ${id}: account_closed`,
  });
  expect(await readTransfer(returnTransferId, client.sellerToken)).toEqual(back);
  expect([await balanceOf(client.operatingId), await balanceOf(client.walletId)]).toEqual([2_500_000, 0]);
  expect(await lossCents()).toBe(0);
  const { rows: traces } = await servicePool().query(
    `select t.id, r.trace_id as trace, array(
       select distinct d.trace_id from deliveries d where d.resource_id in (t.id, r.id)
     ) as announced
     from transfers t join routines r on r.id = t.routine_id where t.id in ($1, $2) order by t.id`,
    [id, returnTransferId],
  );
  const { trace } = traces[0];
  expect(traces).toEqual([id, returnTransferId].map((one) => ({ id: one, trace, announced: [trace] })));
  const announced = (await bodiesOf(client)).slice(2);
  expect(announced).toEqual([
    expect.objectContaining({
      webhook_type: "routine_updated",
      resource_id: back["routine_id"],
      user_id: client.sellerId,
    }),
    expect.objectContaining({
      webhook_type: "transfer_updated",
      resource_id: returnTransferId,
      user_id: client.sellerId,
    }),
  ]);
});

test("the treasury covers the destination's shortfall, and its holds stay covered", async () => {
  const id = await pay(1_200);
  await spend(900);
  await bringBack(id);
  expect([await balanceOf(client.operatingId), await balanceOf(client.walletId)]).toEqual([2_500_000, 0]);
  expect(await lossCents()).toBe(900);
  expect((await readMetrics()).text).toMatch(/^plainbook_return_losses_cents_total 900$/m);
  await expect.poll(() => readLog().find((line) => line["lossCents"] === 900)).toMatchObject({ transferId: id });
});

test("the treasury covers a loss of one cent", async () => {
  const id = await pay(1_200);
  await spend(1);
  await bringBack(id);
  expect([await balanceOf(client.walletId), await lossCents()]).toEqual([0, 1]);
});

test("a closed account doesn't block a return", async () => {
  const id = await pay(1_200);
  const { clientId } = client;
  for (const account of [client.operatingId, client.walletId])
    await closeAccount(database(), { id: account, clientId });
  await bringBack(id);
  expect([await balanceOf(client.operatingId), await balanceOf(client.walletId)]).toEqual([2_500_000, 0]);
});

test("ten concurrent returns of one transfer bring its money back once", async () => {
  const id = await pay(1_200);
  await Promise.all(Array.from({ length: 10 }, () => bringBack(id)));
  expect([await balanceOf(client.operatingId), await lossCents()]).toEqual([2_500_000, 0]);
  expect(await bodiesOf(client)).toHaveLength(4);
});

test("when two transfers are returned concurrently and the destination is short, the treasury pays the rest", async () => {
  const [firstPayment, secondPayment] = [await pay(1_000), await pay(1_000)];
  await spend(1_300);
  await Promise.all([bringBack(firstPayment), bringBack(secondPayment, "unspecified")]);
  expect([await balanceOf(client.operatingId), await balanceOf(client.walletId)]).toEqual([2_500_000, 0]);
  expect(await lossCents()).toBe(1_300);
});

test("a concurrent return and success, in either order, leave the money where it was", async () => {
  answer = async () => ({ kind: "pending", reference: "order-1" });
  const ids = await Promise.all([100, 200, 300, 400, 500].map((cents) => pay(cents)));
  // A provider resends callbacks that a busy service refused.
  const resent = async (apply: () => Promise<void>): Promise<void> => {
    await apply().catch((error: unknown) => (isLockTimeout(error) ? resent(apply) : Promise.reject(error)));
  };
  const settle = (id: string) => applySettlementAnswer(id, { kind: "settled" });
  await Promise.all(ids.flatMap((id) => [resent(() => settle(id)), resent(() => bringBack(id))]));
  expect([await balanceOf(client.operatingId), await balanceOf(client.walletId)]).toEqual([2_500_000, 0]);
  for (const id of ids) expect(["returned", "bounced"]).toContain((await orderOf(id)).state);
});

test("a return before the success fails the transfer, and the later success is dropped", async () => {
  answer = async () => ({ kind: "pending", reference: "order-2" });
  const id = await pay(1_200);
  await bringBack(id, "insufficient_funds");
  await applySettlementAnswer(id, { kind: "settled" });
  expect(await readTransfer(id)).toMatchObject({ status: "failed", failure_reason: "insufficient_funds" });
  expect(await orderOf(id)).toMatchObject({ state: "bounced", contradiction: null });
  expect([await balanceOf(client.operatingId), await balanceOf(client.walletId)]).toEqual([2_500_000, 0]);
});

test("a return during the destination's payouts takes only money that isn't held, and overdraws nothing", async () => {
  const { accountIds } = await fundTestBusiness(client, [0]);
  const [second = ""] = accountIds;
  const { walletId } = await insertTestSeller(client);
  const ids = await Promise.all(Array.from({ length: 5 }, () => pay(1_000, second)));
  const payouts = Array.from({ length: 8 }, () =>
    bookTestRoutine(business, { sourceId: second, destinationId: walletId, amountCents: 700 }),
  );
  const [booked] = await Promise.all([Promise.all(payouts), ...ids.map((id) => bringBack(id))]);
  const held = booked.filter(({ kind }) => kind === "created").length * 700;
  const account = await findAccountOfClient(database(), { id: second, clientId: client.clientId });
  expect(account).toMatchObject({ balanceCents: held, heldCents: held });
  expect(await balanceOf(client.operatingId)).toBe(2_500_000);
  expect(await lossCents()).toBe(held);
});

test("a return for a locked account changes nothing, and succeeds when resent", async () => {
  const id = await pay(1_200);
  const held = await holdRows("select from accounts where id = $1 for update", [client.walletId]);
  try {
    await expect(bringBack(id)).rejects.toThrow();
    expect(await orderOf(id)).toMatchObject({ state: "settled" });
  } finally {
    await held.release();
  }
  await bringBack(id);
  expect(await balanceOf(client.operatingId)).toBe(2_500_000);
});

test("a return after a failure adds nothing", async () => {
  answer = async () => ({ kind: "failed", reason: "unspecified" });
  const id = await pay(1_200);
  await bringBack(id);
  expect(await orderOf(id)).toMatchObject({ state: "failed", contradiction: null });
});

test("a settled order is polled for a return once a day, while its provider says so", async () => {
  answer = async () => ({ kind: "settled", returns: { reference: "order-3", days: 5 } });
  const id = await pay(1_200);
  const dayMs = 86_400_000;
  const passDay = async () => {
    await servicePool().query(
      `update settlement_orders set due_real_at = due_real_at - interval '1 day',
         returns_until_real_at = returns_until_real_at - interval '1 day' where transfer_id = $1`,
      [id],
    );
    await pollSettlementOrders(provider);
  };
  const daysLeft = async () => {
    const { dueRealAt, returnsUntilRealAt } = await orderOf(id);
    return [dueRealAt, returnsUntilRealAt].map((at) => at && Math.round((at.getTime() - Date.now()) / dayMs));
  };
  expect(await daysLeft()).toEqual([1, 5]);
  // Callbacks don't postpone the next poll.
  const { dueRealAt } = await orderOf(id);
  await applySettlementAnswer(id, { kind: "settled" });
  expect((await orderOf(id)).dueRealAt).toEqual(dueRealAt);
  const answers: SettlementAnswer[] = [
    { kind: "settled" },
    { kind: "pending", reference: "order-5" },
    { kind: "failed", reason: "unspecified" },
  ];
  for (const [days, one] of answers.entries()) {
    answer = async () => one;
    await passDay();
    expect(polled).toEqual(Array.from({ length: days + 1 }, () => ({ id, reference: "order-3" })));
    expect(await daysLeft()).toEqual([1, 4 - days]);
  }
  expect(await orderOf(id)).toMatchObject({ state: "settled", contradiction: "failed" });
  answer = async () => ({ kind: "returned", reason: "account_closed" });
  await passDay();
  expect(await orderOf(id)).toMatchObject({ state: "returned", dueRealAt: null });
  expect(await balanceOf(client.operatingId)).toBe(2_500_000);
});

test("a settled order isn't polled after its return window", async () => {
  answer = async () => ({ kind: "settled", returns: { reference: "order-4", days: 1 } });
  const id = await pay(1_200);
  await servicePool().query(
    "update settlement_orders set due_real_at = now(), returns_until_real_at = now() where transfer_id = $1",
    [id],
  );
  await pollSettlementOrders(provider);
  expect(polled).toHaveLength(1);
  expect(await orderOf(id)).toMatchObject({ state: "settled", dueRealAt: null });
});

import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SettlementAnswer, SettlementOrder, SettlementProvider } from "../../contract/providers.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { quickestMs } from "../../kit/testing/quickest.ts";
import type { WakeLoop } from "../../kit/wake-loop.ts";
import { createOperatorApi } from "../http/app.ts";
import { reconcile } from "../operations/money/reconcile.ts";
import {
  applySettlementAnswer,
  orderDueTransfers,
  requireSettlementProvider,
} from "../operations/money/settle-by-provider.ts";
import { readMetrics } from "../operations/read-metrics.ts";
import { sweep } from "../operations/sweep.ts";
import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { findAccountOfClient } from "../storage/accounts.ts";
import { database, servicePool } from "../storage/database.ts";
import { settlementOrders } from "../storage/schema.ts";
import { claimDueSettlementOrders } from "../storage/settlement-orders.ts";
import { advanceClock } from "../testing/clients.ts";
import { bodiesOf } from "../testing/deliveries.ts";
import { pollSettlementOrders } from "../testing/due-work.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { findLedgerProblems } from "../testing/ledger-problems.ts";
import { quarantined } from "../testing/quarantine.ts";
import {
  bookTestRoutine,
  type ClientWithSeller,
  closeAccount,
  createClientWithSeller,
  transferIdOf,
} from "../testing/routines.ts";
import { callerOf } from "../testing/tokens.ts";
import { startOrders, startSettlement } from "./start-workers.ts";

const readLog = logToFile();

/** A provider that records its requests; a test can replace its answers. */
class Provider implements SettlementProvider {
  readonly ordered: SettlementOrder[] = [];
  readonly polled: { id: string; reference: string }[] = [];
  answer: (order: SettlementOrder) => Promise<SettlementAnswer> = async () => ({ kind: "settled" });
  polledAnswer: () => Promise<SettlementAnswer> = async () => ({ kind: "settled" });

  order(order: SettlementOrder): Promise<SettlementAnswer> {
    this.ordered.push(order);
    return this.answer(order);
  }

  poll(pending: { id: string; reference: string }): Promise<SettlementAnswer> {
    this.polled.push(pending);
    return this.polledAnswer();
  }

  async readCallback({ headers, body }: { headers: Headers; body: Uint8Array }) {
    return headers.has("x-signature") ? JSON.parse(new TextDecoder().decode(body)) : undefined;
  }
}

let provider: Provider;
let client: ClientWithSeller;
let workers: WakeLoop[] = [];
beforeEach(async () => {
  provider = new Provider();
  chooseProviders({ ...sandboxProviders, settlement: provider });
  client = await createClientWithSeller();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  const open = await database().select().from(settlementOrders).where(eq(settlementOrders.state, "open"));
  for (const { transferId } of open) await applySettlementAnswer(transferId, { kind: "failed", reason: "unspecified" });
  await servicePool().query("delete from quarantine");
});

/** Creates a due payment, and returns its transfer's id. */
async function pay(amountCents = 1_200): Promise<string> {
  const business = { caller: await callerOf(client.businessToken) };
  const { operatingId: sourceId, walletId: destinationId } = client;
  const booked = await bookTestRoutine(business, { sourceId, destinationId, amountCents });
  await advanceClock(client, 2);
  return transferIdOf(booked);
}

/** Asks the provider about this order now, despite any pause. */
async function pollNow(id: string): Promise<void> {
  await orderDueTransfers();
  await servicePool().query(
    "update settlement_orders set due_real_at = now() where transfer_id = $1 and due_real_at > now()",
    [id],
  );
  await servicePool().query("update quarantine set retry_real_at = now() where id = $1", [id]);
  await pollSettlementOrders(provider);
}

async function readTransfer(id: string): Promise<Record<string, unknown>> {
  return (await client.call("GET", `/v1/transfers/${id}`, { bearer: client.businessToken })).json;
}

const statusOf = async (id: string) => (await readTransfer(id))["status"];

const orderOf = async (id: string) =>
  (await database().select().from(settlementOrders).where(eq(settlementOrders.transferId, id)))[0];

async function balances(): Promise<(number | undefined)[]> {
  const { clientId, operatingId, walletId } = client;
  const accounts = [operatingId, walletId].map((id) => findAccountOfClient(database(), { id, clientId }));
  return (await Promise.all(accounts)).map((account) => account?.balanceCents);
}

async function callBack(results: unknown, headers: Record<string, string> = { "x-signature": "right" }) {
  const body = JSON.stringify(results);
  const request = new Request("http://127.0.0.1:4711/callbacks/settlement", { method: "POST", headers, body });
  return (await createOperatorApi().fetch(request)).status;
}

const pendingAt = (reference: string) => async (): Promise<SettlementAnswer> => ({ kind: "pending", reference });

const saying = (start: string) => readLog().filter((line) => String(line["msg"]).startsWith(start));

async function booksAgree(): Promise<void> {
  expect(await findLedgerProblems()).toEqual([]);
  expect((await reconcile()).problems).toEqual([]);
}

test("the provider gets the amount and both accounts under the transfer's id, and its answer settles the transfer", async () => {
  const id = await pay(1_234);
  await pollNow(id);
  const account = { type: "wallet", mask: "2000", id: client.walletId, userId: client.sellerId };
  expect(provider.ordered).toEqual([
    {
      id,
      clientId: client.clientId,
      amountCents: 1_234,
      source: expect.objectContaining({ id: client.operatingId, userId: client.businessUserId, type: "operating" }),
      destination: { ...account, holder: expect.stringMatching(/^\w+ \w+/) },
    },
  ]);
  expect(await statusOf(id)).toBe("processed");
  expect(await balances()).toEqual([2_500_000 - 1_234, 1_234]);
  expect(await bodiesOf(client)).toHaveLength(2);
  await booksAgree();
});

test("workers woken by a notification, not the poll, order and settle a due transfer", async () => {
  workers = [startSettlement(), startOrders(provider), startOrders(provider)];
  let paid = 0;
  const payOnce = async () => {
    const id = await pay();
    paid++;
    await expect.poll(() => statusOf(id)).toBe("processed");
  };
  // Workers that only poll take 5 s each time.
  expect(await quickestMs(4_000, payOnce)).toBeLessThan(4_000);
  expect(provider.ordered).toHaveLength(paid);
});

test("a slow call to the provider delays no other order", async () => {
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  const slow = await pay(100);
  provider.answer = async ({ id }) => {
    if (id === slow) await mayAnswer;
    return { kind: "settled" };
  };
  workers = [startSettlement(), startOrders(provider)];
  await expect.poll(() => provider.ordered).toHaveLength(1);
  const quick = await pay(200);
  await expect.poll(() => statusOf(quick)).toBe("processed");
  // The slow call hasn't timed out.
  expect(await quarantined("settlement_order")).toBe(0);
  letAnswer();
  await expect.poll(() => statusOf(slow)).toBe("processed");
});

test("an order that settles while its request fails leaves quarantine, and an open one stays in it", async () => {
  const [ended, open] = [await pay(), await pay()];
  provider.answer = async ({ id }) => {
    if (id === ended) await callBack([{ id, answer: { kind: "settled" } }]);
    throw new Error("cut");
  };
  await pollNow(ended);
  expect(await quarantined("settlement_order")).toBe(2);
  await sweep(new AbortController().signal);
  const { rows } = await servicePool().query("select id from quarantine");
  expect(rows).toEqual([{ id: open }]);
  expect(await statusOf(ended)).toBe("processed");
});

test("a failed order fails the transfer with its reason, and frees the money", async () => {
  provider.answer = async () => ({ kind: "failed", reason: "account_closed" });
  const id = await pay();
  await pollNow(id);
  expect(await readTransfer(id)).toMatchObject({ status: "failed", failure_reason: "account_closed" });
  expect(await balances()).toEqual([2_500_000, 0]);
  await booksAgree();
});

test("a pending order is polled by its reference, after growing pauses, and its money stays held", async () => {
  provider.answer = pendingAt("order-7");
  provider.polledAnswer = pendingAt("order-7");
  const startedAt = Date.now();
  const id = await pay();
  const pauses: number[] = [];
  for (let poll = 0; poll < 4; poll++) {
    // After many polls, an hour.
    if (poll === 3) await servicePool().query("update settlement_orders set polls = 1000 where transfer_id = $1", [id]);
    await pollNow(id);
    const { dueRealAt } = (await orderOf(id)) ?? expect.fail("no order");
    pauses.push(Math.round(((dueRealAt?.getTime() ?? 0) - Date.now()) / 30_000));
  }
  expect(pauses).toEqual([1, 2, 4, 120]);
  expect(provider.ordered).toHaveLength(1);
  expect(provider.polled).toEqual(Array.from({ length: 3 }, () => ({ id, reference: "order-7" })));
  expect(await statusOf(id)).toBe("pending");
  await booksAgree();
  const { text } = await readMetrics();
  const [, age] = /^plainbook_settlement_order_oldest_seconds (\d+\.\d+)$/m.exec(text) ?? [];
  expect(Number(age)).toBeGreaterThan(0);
  expect(Number(age)).toBeLessThanOrEqual((Date.now() - startedAt) / 1000);
  const late = 'plainbook_due_oldest_seconds{kind="settlement_order"}';
  expect(text).toContain(`${late} 0\n`);
  await servicePool().query(
    "update settlement_orders set due_real_at = now() - interval '90 s' where transfer_id = $1",
    [id],
  );
  expect((await readMetrics()).text.split(`${late} `)[1]).toMatch(/^(9\d|\d{3,})(\.|\n)/);
  provider.polledAnswer = async () => ({ kind: "settled" });
  await pollNow(id);
  expect(await statusOf(id)).toBe("processed");
  expect(await orderOf(id)).toMatchObject({ state: "settled", reference: "order-7", dueRealAt: null });
  expect(await bodiesOf(client)).toHaveLength(2);
});

test.each([
  ["throws", async () => Promise.reject(new Error("no route to +1 202 555 0123"))],
  ["returns an unknown answer", async () => ({ kind: "ok" }) as unknown as SettlementAnswer],
  ["returns an unpublished reason", async () => ({ kind: "failed", reason: "R01" }) as unknown as SettlementAnswer],
])("a provider that %s is retried with the same id, fails nothing, and doesn't delay others", async (_name, fail) => {
  const [broken, sound] = [await pay(100), await pay(200)];
  provider.answer = (order) => (order.id === broken ? fail() : Promise.resolve({ kind: "settled" as const }));
  await orderDueTransfers();
  await pollSettlementOrders(provider);
  expect([await statusOf(broken), await statusOf(sound)]).toEqual(["pending", "processed"]);
  expect(await quarantined("settlement_order")).toBe(1);
  // Nothing is due before the retry.
  expect(await pollSettlementOrders(provider)).toBeUndefined();
  provider.answer = pendingAt("order-8");
  await pollNow(broken);
  expect(await quarantined("settlement_order")).toBe(0);
  expect(provider.ordered.filter(({ id }) => id === broken)).toHaveLength(2);
  await pollNow(broken);
  expect(await statusOf(broken)).toBe("processed");
});

test("the provider's error leaks no name of either party, whole or in part, to the log or the quarantine", async () => {
  const id = await pay();
  const parts: string[] = [];
  provider.answer = async ({ source, destination }) => {
    const [from = [], to = []] = [source, destination].map(({ holder }) => holder.split(" "));
    // All but "&".
    parts.push(...[...from, ...to].filter((part) => part.length > 1));
    throw new Error(`no account for ${destination.holder}, ${to[0]} or Ms. ${to[1]}; ${source.holder}, ${from[0]}`);
  };
  await pollNow(id);
  const { rows } = await servicePool().query("select reason from quarantine where id = $1", [id]);
  expect(rows[0]?.reason).toBe("provider: no account for …, … or Ms. …; …, …");
  await expect.poll(() => readLog().filter((line) => line["transferId"] === id)).toHaveLength(1);
  expect(parts.length).toBeGreaterThanOrEqual(4);
  for (const part of parts) expect(JSON.stringify(readLog())).not.toContain(` ${part} `);
});

test("two workers never ask about one order concurrently", async () => {
  const { promise: isAsked, resolve: onAsked } = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  provider.answer = async () => {
    onAsked();
    await mayAnswer;
    return { kind: "settled" };
  };
  const id = await pay();
  const first = pollNow(id);
  await isAsked;
  // A call may take 20 s.
  const { rows } = await servicePool().query<{ seconds: number }>(
    `select extract(epoch from leased_until_real_at - now())::float8 as seconds
     from settlement_orders where transfer_id = $1`,
    [id],
  );
  expect(rows[0]?.seconds).toBeGreaterThan(25);
  const others = await Promise.all([pollSettlementOrders(provider), pollSettlementOrders(provider)]);
  expect(others).toEqual([undefined, undefined]);
  letAnswer();
  await first;
  expect(provider.ordered).toHaveLength(1);
  expect(await statusOf(id)).toBe("processed");
});

test("a lost connection doesn't quarantine the order, which is polled again at once", async () => {
  const id = await pay();
  await orderDueTransfers();
  provider.answer = async () => {
    const held = await holdRows("select from accounts where id = $1 for update", [client.walletId]);
    const isWaiting = "datname = current_database() and wait_event_type = 'Lock'";
    const cut = held.waiters(1).then(async () => {
      await servicePool().query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${isWaiting}`);
      await held.release();
    });
    cuts.push(cut);
    return { kind: "settled" };
  };
  const cuts: Promise<void>[] = [];
  await expect(pollSettlementOrders(provider)).rejects.toThrow();
  await Promise.all(cuts);
  expect([await quarantined("settlement_order"), await statusOf(id)]).toEqual([0, "pending"]);
  provider.answer = async () => ({ kind: "settled" });
  await pollSettlementOrders(provider);
  expect(await statusOf(id)).toBe("processed");
});

test("204: a callback settles, and a repeat changes nothing", async () => {
  provider.answer = pendingAt("order-12");
  const id = await pay();
  await pollNow(id);
  const results = [{ id, answer: { kind: "settled" } }];
  expect([await callBack(results), await callBack(results)]).toEqual([204, 204]);
  expect(await statusOf(id)).toBe("processed");
  expect(await bodiesOf(client)).toHaveLength(2);
});

test("a callback that arrives before the response to its order counts", async () => {
  provider.answer = async ({ id }) => {
    await callBack([{ id, answer: { kind: "failed", reason: "insufficient_funds" } }]);
    return { kind: "pending", reference: "order-13" };
  };
  const id = await pay();
  await pollNow(id);
  expect(await readTransfer(id)).toMatchObject({ status: "failed", failure_reason: "insufficient_funds" });
  expect(await orderOf(id)).toMatchObject({ state: "failed", dueRealAt: null });
});

test.each([
  ["401: a callback from an unknown sender", {}, { kind: "settled" }, 401],
  ["503: a callback with an unknown answer", undefined, "settled", 503],
])("%s changes nothing", async (_name, headers, answer, status) => {
  provider.answer = pendingAt("order-14");
  const id = await pay();
  await pollNow(id);
  expect(await callBack([{ id, answer }], headers)).toBe(status);
  expect(await statusOf(id)).toBe("pending");
});

test("404: no callback without a provider that reads them", async () => {
  chooseProviders({ ...sandboxProviders, settlement: { order: provider.order, poll: provider.poll } });
  expect(await callBack([])).toBe(404);
  chooseProviders(sandboxProviders);
  expect(await callBack([])).toBe(404);
});

test("only one of ten concurrent callbacks and the poll counts", async () => {
  provider.answer = pendingAt("order-9");
  const id = await pay();
  await pollNow(id);
  const results = [{ id, answer: { kind: "settled" } }];
  const [, ...statuses] = await Promise.all([pollNow(id), ...Array.from({ length: 10 }, () => callBack(results))]);
  expect(new Set(statuses)).toEqual(new Set([204]));
  expect(await balances()).toEqual([2_500_000 - 1_200, 1_200]);
  expect(await bodiesOf(client)).toHaveLength(2);
  await booksAgree();
});

test("processes that order one batch concurrently open each order once", async () => {
  const ids = await Promise.all([1, 2, 3].map((cents) => pay(cents)));
  await Promise.all([orderDueTransfers(), orderDueTransfers(), orderDueTransfers()]);
  await pollSettlementOrders(provider);
  expect(provider.ordered.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(await balances()).toEqual([2_500_000 - 6, 6]);
});

test("a result that contradicts an earlier one changes nothing, and is kept for an operator", async () => {
  const id = await pay();
  await pollNow(id);
  await applySettlementAnswer(id, { kind: "failed", reason: "unspecified" });
  expect(await statusOf(id)).toBe("processed");
  expect(await orderOf(id)).toMatchObject({ state: "settled", contradiction: "failed" });
  await expect.poll(() => saying("a settlement result contradicts")).toHaveLength(1);
  provider.answer = async () => ({ kind: "failed", reason: "account_closed" });
  const otherPayment = await pay();
  await pollNow(otherPayment);
  await applySettlementAnswer(otherPayment, { kind: "settled" });
  expect(await readTransfer(otherPayment)).toMatchObject({ status: "failed", failure_reason: "account_closed" });
  expect(await orderOf(otherPayment)).toMatchObject({ state: "failed", contradiction: "settled" });
  expect((await readMetrics()).text).toMatch(/^plainbook_settlement_results_total\{result="contradiction"\} 2$/m);
  await booksAgree();
});

test("a result for an unknown order changes nothing, and is kept once for an operator", async () => {
  const id = "00000000-0000-4000-8000-000000000000";
  const returned = { kind: "returned", reason: "account_closed" } as const;
  for (const answer of [{ kind: "settled" } as const, returned, returned]) await applySettlementAnswer(id, answer);
  const { rows } = await servicePool().query(
    "select transfer_id, kind, reason from unknown_settlement_results order by received_real_at",
  );
  expect(rows).toEqual([
    { transfer_id: id, kind: "settled", reason: null },
    { transfer_id: id, kind: "returned", reason: "account_closed" },
  ]);
  await expect.poll(() => saying("a settlement result matches no order")).toHaveLength(3);
  expect((await readMetrics()).text).toMatch(/^plainbook_settlement_results_total\{result="unknown"\} 3$/m);
});

test("an open order goes ahead of overdue polls for returns", async () => {
  provider.answer = async () => ({ kind: "settled", returns: { reference: "r", days: 60 } });
  const settled = await pay();
  await pollNow(settled);
  await servicePool().query(
    "update settlement_orders set due_real_at = now() - interval '8 hours' where transfer_id = $1",
    [settled],
  );
  const open = await pay();
  await orderDueTransfers();
  const claim = async () =>
    (await claimDueSettlementOrders(database(), { limit: 1, leaseMs: 60_000 })).map(({ id }) => id);
  expect([await claim(), await claim(), await claim()]).toEqual([[open], [settled], []]);
});

test("a late pending answer does not open a settled order", async () => {
  const id = await pay();
  await pollNow(id);
  await applySettlementAnswer(id, { kind: "pending", reference: "order-10" });
  expect(await orderOf(id)).toMatchObject({ state: "settled", dueRealAt: null, reference: null });
});

test("a closed destination fails without an order; one closed later still gets the money that moved", async () => {
  const { clientId, walletId: id } = client;
  provider.answer = pendingAt("order-11");
  const ordered = await pay();
  await pollNow(ordered);
  const due = await pay();
  await closeAccount(database(), { id, clientId });
  await pollNow(due);
  expect(await readTransfer(due)).toMatchObject({ status: "failed", failure_reason: "account_closed" });
  expect(await orderOf(due)).toBeUndefined();
  await pollNow(ordered);
  expect(await statusOf(ordered)).toBe("processed");
  expect(await balances()).toEqual([2_500_000 - 1_200, 1_200]);
  await booksAgree();
});

test("503: a callback for a locked account changes nothing, and counts when resent", async () => {
  provider.answer = pendingAt("order-15");
  const id = await pay();
  await pollNow(id);
  const results = [{ id, answer: { kind: "settled" } }];
  const held = await holdRows("select from accounts where id = $1 for update", [client.walletId]);
  try {
    expect(await callBack(results)).toBe(503);
    expect(await statusOf(id)).toBe("pending");
  } finally {
    await held.release();
  }
  expect(await callBack(results)).toBe(204);
  expect(await statusOf(id)).toBe("processed");
});

test("503: results in a callback that fail are logged once, and hold up none of the others", async () => {
  provider.answer = pendingAt("order-16");
  const [failing = "", alsoFailing = "", other = ""] = [await pay(), await pay(), await pay()];
  await pollNow(failing);
  const results = [failing, alsoFailing, other].map((id) => ({ id, answer: { kind: "settled" } }));
  const held = await holdRows("select from transfers where id in ($1, $2) for update", [failing, alsoFailing]);
  try {
    expect(await callBack(results)).toBe(503);
    expect(await Promise.all([failing, alsoFailing, other].map(statusOf))).toEqual(["pending", "pending", "processed"]);
    expect(
      saying("a provider's result could not be applied")
        .map(({ id }) => id)
        .slice(-2),
    ).toEqual([failing, alsoFailing]);
    expect(saying("a request failed unexpectedly")).toEqual([]);
  } finally {
    await held.release();
  }
});

test("a settled order for a locked account stays open and is polled again", async () => {
  const id = await pay();
  const held = await holdRows("select from accounts where id = $1 for update", [client.walletId]);
  try {
    await pollNow(id);
    expect(await statusOf(id)).toBe("pending");
    expect(await quarantined("settlement_order")).toBe(1);
  } finally {
    await held.release();
  }
  await pollNow(id);
  expect(await statusOf(id)).toBe("processed");
  expect(provider.ordered.map((order) => order.id)).toEqual([id, id]);
});

test("reconciliation finds a transfer that doesn't match its order", async () => {
  const id = await pay();
  await pollNow(id);
  await servicePool().query("update settlement_orders set state = 'failed' where transfer_id = $1", [id]);
  expect((await reconcile()).problems).toEqual([`Transfer ${id} is processed but its settlement order is failed.`]);
  await servicePool().query("update settlement_orders set state = 'settled' where transfer_id = $1", [id]);
});

test("a worker without the provider does not start while an order is open or polled for returns", async () => {
  const start = async (settlement: SettlementProvider | undefined) => {
    chooseProviders(settlement ? { ...sandboxProviders, settlement } : sandboxProviders);
    await requireSettlementProvider();
  };
  await servicePool().query("update settlement_orders set due_real_at = null");
  await start(undefined);
  const id = await pay();
  await orderDueTransfers();
  await start(provider);
  const refusal = "needs a settlement provider, because settlement orders are open or polled for returns";
  await expect(start(undefined)).rejects.toThrow(refusal);
  await applySettlementAnswer(id, { kind: "settled", returns: { reference: "r", days: 60 } });
  await expect(start(undefined)).rejects.toThrow(refusal);
});

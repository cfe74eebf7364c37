import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { quickestMs } from "../../kit/testing/quickest.ts";
import { newTraceId } from "../../kit/trace.ts";
import { partner } from "../process-partner.ts";
import { readRoutineView } from "../routines/routine-view.ts";
import { setSecondsAhead } from "../sandbox/storage.ts";
import { readComparison, requestComparison } from "../storage/routine-comparison.ts";
import { findServiceUser } from "../storage/service-users.ts";
import { listOldTokenPairs } from "../storage/token-pairs.ts";
import { insertWebhookReceipt } from "../storage/webhook-receipts.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness, connectSeller } from "../testing/connected-users.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { pay as payBusiness } from "../testing/pay.ts";
import { accountRecordOf, routineRecordOf, transferRecordOf, userRecordOf } from "../testing/records.ts";
import { processWebhooks } from "../webhooks/process-webhooks.ts";
import { startPartnerWorker } from "./start-worker.ts";

let service: FakeService;
let business: ConnectedBusiness;
let routine: ReturnType<typeof routineRecordOf>;
let transfer: ReturnType<typeof transferRecordOf>;
let worker: Awaited<ReturnType<typeof startPartnerWorker>> | undefined;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

beforeEach(async () => {
  business = await connectBusiness();
  routine = routineRecordOf();
  transfer = transferRecordOf({ id: routine.transfer_id, routine_id: routine.id });
  service.requests.length = 0;
  service.answer("POST /v1/routines/book", () => ({
    status: 201,
    body: routineRecordOf({ ...routine, status: "active" }),
  }));
  service.answer(`GET /v1/routines/${routine.id}`, () => ({ status: 200, body: routine }));
  service.answer(`GET /v1/transfers/${routine.transfer_id}`, () => ({ status: 200, body: transfer }));
});

async function pay(fields: Record<string, string> = {}): Promise<string> {
  const created = await payBusiness(business, fields);
  if (created.kind !== "created") throw new Error("The payment should be created.");
  return created.routineId;
}

function settle(): void {
  routine = { ...routine, status: "completed", updated_at: "2026-01-31T09:30:02.000Z" };
  transfer = { ...transfer, status: "processed", updated_at: "2026-01-31T09:30:02.000Z" };
}

async function announce(webhookType: string, resourceId: string): Promise<string> {
  const webhookId = newId();
  await insertWebhookReceipt(partner().db, {
    webhookId,
    webhookType,
    resourceId,
    userId: newId(),
    traceId: newTraceId(),
  });
  return webhookId;
}

async function receiptOf(webhookId: string) {
  const { rows } = await partner().db.execute(
    sql`select outcome, attempts, next_attempt_real_at > now() as is_put_off from webhook_receipts where webhook_id = ${webhookId}`,
  );
  return rows[0];
}

async function makeDue(webhookId: string): Promise<void> {
  await partner().db.execute(
    sql`update webhook_receipts set next_attempt_real_at = now() where webhook_id = ${webhookId}`,
  );
}

test("a webhook's arrival wakes the worker to apply it", async () => {
  worker = await startPartnerWorker(partner());
  const arrive = async () => {
    const webhookId = await announce("moon_updated", "1");
    await expect.poll(() => receiptOf(webhookId)).toMatchObject({ outcome: "ignored" });
  };
  // The worker may still be polling at its start; later it sleeps, and only a notification wakes it in time.
  for (let round = 0; round < 3; round++) await arrive();
  expect(await quickestMs(4000, arrive)).toBeLessThan(4000);
});

test("applies a postponed webhook as soon as it's due", async () => {
  const applyPostponed = async () => {
    const webhookId = await announce("moon_updated", "1");
    await partner().db.execute(sql`update webhook_receipts set next_attempt_real_at = now() + interval '500 ms'
      where webhook_id = ${webhookId}`);
    worker = await startPartnerWorker(partner());
    await expect.poll(() => receiptOf(webhookId)).toMatchObject({ outcome: "ignored" });
    await worker.stop();
  };
  expect(await quickestMs(4000, applyPostponed)).toBeLessThan(4000);
});

test("renews old tokens as soon as a sandbox's clock moves", async () => {
  const renewals = () => service.requestsOf("POST /v1/oauth/token").length;
  service.answer("POST /v1/oauth/token", () => ({
    status: 200,
    body: { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 },
  }));
  worker = await startPartnerWorker(partner());
  try {
    for (let round = 1; round <= 3; round++) {
      const before = renewals();
      await setSecondsAhead(partner().db, round * 8 * 86_400);
      await expect.poll(renewals).toBeGreaterThan(before);
      // A pair stored after the next clock move would carry the new time, and not count as old.
      const old = () => listOldTokenPairs(partner().db, { days: 7, limit: 1, after: "" });
      await expect.poll(old).toEqual([]);
    }
  } finally {
    await worker.stop();
    await setSecondsAhead(partner().db, 0);
  }
});

test("shows the whole life of a routine in its timeline", async () => {
  const id = await pay();
  const first = await announce("routine_updated", routine.id);
  await processWebhooks(partner());
  settle();
  const second = await announce("transfer_updated", transfer.id);
  await announce("routine_updated", newId());
  await processWebhooks(partner());
  const view = await readRoutineView(partner(), id);
  expect(view?.webhooks.map((webhook) => webhook.id)).toEqual([first, second]);
  expect(view).toMatchObject({ status: "completed", transferStatus: "processed", isOver: true });
  expect(view?.events.map(({ resource, status }) => `${resource} ${status}`)).toEqual([
    "routine active",
    "transfer pending",
    "transfer processed",
    "routine completed",
  ]);
});

// The state is fetched, so the number and order of events don't matter.
test("ends in the same state after duplicates in the wrong order", async () => {
  const id = await pay();
  settle();
  const events: [string, string][] = [
    ["transfer_updated", transfer.id],
    ["routine_updated", routine.id],
    ["transfer_updated", transfer.id],
  ];
  for (const [type, resourceId] of events) {
    await announce(type, resourceId);
    await processWebhooks(partner());
  }
  const once = await readRoutineView(partner(), id);
  routine = { ...routine, status: "active" };
  transfer = { ...transfer, status: "pending" };
  // A late response with the older state arrives last.
  await announce("routine_updated", routine.id);
  await processWebhooks(partner());
  // The page also lists the deliveries.
  expect(await readRoutineView(partner(), id)).toEqual({ ...once, webhooks: expect.any(Array) });
});

test("tries again when the service is unavailable", async () => {
  const id = await pay();
  settle();
  service.answer(`GET /v1/transfers/${transfer.id}`, () => refused(503, "unavailable"));
  const webhookId = await announce("transfer_updated", transfer.id);
  await processWebhooks(partner());
  expect(await receiptOf(webhookId)).toMatchObject({ outcome: null, attempts: 1, is_put_off: true });
  service.answer(`GET /v1/transfers/${transfer.id}`, () => ({ status: 200, body: transfer }));
  await makeDue(webhookId);
  await processWebhooks(partner());
  expect(await receiptOf(webhookId)).toMatchObject({ outcome: "applied", attempts: 2, is_put_off: null });
  expect(await readRoutineView(partner(), id)).toMatchObject({ isOver: true });
});

test("postpones events that overtake their request's response, and gives up on unknown routines", async () => {
  let webhookId = "";
  service.answer("POST /v1/routines/book", async ({ body }) => {
    routine = { ...routine, destination_id: String(body["destination_id"]) };
    webhookId = await announce("routine_updated", routine.id);
    await processWebhooks(partner());
    return { status: 201, body: routineRecordOf({ ...routine, status: "active" }) };
  });
  const id = await pay();
  expect(await receiptOf(webhookId)).toMatchObject({ outcome: null, is_put_off: true });
  settle();
  await makeDue(webhookId);
  await processWebhooks(partner());
  expect(await readRoutineView(partner(), id)).toMatchObject({ isOver: true });

  const strange = await announce("routine_updated", newId());
  for (let attempt = 0; attempt < 5; attempt++) {
    await makeDue(strange);
    await processWebhooks(partner());
  }
  expect(await receiptOf(strange)).toMatchObject({ outcome: "not_ours", attempts: 5, is_put_off: null });
});

test("retries an event with backoff for a day, or forever if it may concern a lost response", async () => {
  await pay();
  service.answer(`GET /v1/routines/${routine.id}`, () => refused(503, "unavailable"));
  const known = await announce("routine_updated", routine.id);
  const pauseAfter = async (webhookId: string, attempts: number) => {
    await partner().db.execute(
      sql`update webhook_receipts set attempts = ${attempts - 1}, next_attempt_real_at = now() where webhook_id = ${webhookId}`,
    );
    await processWebhooks(partner());
    const { rows } = await partner().db.execute(
      sql`select outcome, round(extract(epoch from next_attempt_real_at - processed.at))::int as pause
        from webhook_receipts cross join (select now() as at) processed where webhook_id = ${webhookId}`,
    );
    return rows[0]?.["outcome"] ?? Number(rows[0]?.["pause"]);
  };
  // On a slow machine, part of each pause has passed by now.
  const within = (seconds: number) => expect.toSatisfy((pause: number) => pause > seconds / 2 - 30 && pause <= seconds);
  expect(await pauseAfter(known, 4)).toEqual(within(120));
  expect(await pauseAfter(known, 5)).toEqual(within(600));
  expect(await pauseAfter(known, 149)).toEqual(within(600));
  expect(await pauseAfter(known, 150)).toBe("try_later");

  service.answer("POST /v1/routines/book", () => "cut");
  await pay({ name: "Unanswered" });
  const unread = transferRecordOf({ routine_id: undefined });
  service.answer(`GET /v1/transfers/${unread.id}`, () => ({ status: 200, body: { ...unread, routine_id: undefined } }));
  expect(await pauseAfter(await announce("transfer_updated", unread.id), 500)).toEqual(within(600));
});

test("a worker periodically compares payments, rereads open ones, and deletes old rows", async () => {
  await clearTables("routine_events", "routines", "webhook_receipts");
  service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: [routine], next: null } }));
  const id = await pay();
  settle();
  await partner().pool.query("update routines set next_try_at = harbor_now()");
  await requestComparison(partner().db);
  await partner().pool.query("insert into attempts values ('code', 'of Tuesday', 20, now() - interval '3 days')");
  worker = await startPartnerWorker(partner());
  await expect.poll(async () => (await readRoutineView(partner(), id))?.state).toBe("succeeded");
  await expect.poll(async () => (await readComparison(partner().db)).isDue).toBe(false);
  const old = "select from attempts where subject_hash = 'of Tuesday'";
  await expect.poll(async () => (await partner().pool.query(old)).rowCount).toBe(0);
});

test("an event that Harbor fails to apply is retried shortly, and doesn't block others", async () => {
  const [broken, sound] = [await connectSeller({ status: "pending" }), await connectSeller({ status: "pending" })];
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [accountRecordOf()] } }));
  service.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ status: "approved" }) }));
  const failing: typeof partner = () => {
    const { tokens, ...rest } = partner();
    const call: typeof tokens.call = (userId, ...more) => {
      if (userId === broken.id) throw new Error("a fault of Harbor's");
      return tokens.call(userId, ...more);
    };
    return { ...rest, tokens: { ...tokens, call } };
  };
  const webhookId = await announce("user_updated", broken.id);
  const others = await Promise.all([1, 2, 3].map(() => announce("user_updated", sound.id)));
  await processWebhooks(failing());
  for (const other of others) expect(await receiptOf(other)).toMatchObject({ outcome: "applied" });
  expect(await receiptOf(webhookId)).toMatchObject({ outcome: null });
  const soon = sql`select next_attempt_real_at < now() + interval '5 seconds' as "isSoon" from webhook_receipts
    where webhook_id = ${webhookId}`;
  expect((await partner().db.execute(soon)).rows).toEqual([{ isSoon: true }]);
  await makeDue(webhookId);
  await processWebhooks(partner());
  expect(await receiptOf(webhookId)).toMatchObject({ outcome: "applied", attempts: 2 });
});

test("finishes and stores the event in progress before it stops", async () => {
  const { id } = await connectSeller({ status: "pending" });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 1, accounts: [accountRecordOf()] } }));
  service.answer("GET /v1/user", async () => {
    await released;
    return { status: 200, body: userRecordOf({ id, status: "approved" }) };
  });
  worker = await startPartnerWorker(partner());
  const webhookId = await announce("user_updated", id);
  await expect.poll(() => service.requestsOf("GET /v1/user")).toHaveLength(1);
  const stopped = worker.stop();
  worker = undefined;
  release();
  await stopped;
  expect(await receiptOf(webhookId)).toMatchObject({ outcome: "applied", is_put_off: null });
});

test("ignores an unknown type, also one named like a property of every object", async () => {
  for (const type of ["moon_updated", "constructor"]) {
    const webhookId = await announce(type, "1");
    await processWebhooks(partner());
    expect(await receiptOf(webhookId)).toMatchObject({ outcome: "ignored" });
  }
});

test.each(["user_updated", "person_changed"])(
  "updates a user's status, also after an event of unknown type: %s",
  async (type) => {
    const { id } = await connectSeller({ status: "pending" });
    service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 0, accounts: [] } }));
    service.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ id, status: "suspended" }) }));
    await announce(type, id);
    await processWebhooks(partner());
    expect(await findServiceUser(partner().db, id)).toMatchObject({ status: "suspended" });
  },
);

// The worker's kinds of work run concurrently, and within a kind a slow item delays no other.
describe("while the service is slow to answer", () => {
  /** Holds every request of one route; `whenRequested` resolves once the first has arrived. */
  function hold(route: string): { whenRequested: () => Promise<void>; release: () => void } {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.answer(route, async () => {
      await released;
      return refused(503, "unavailable");
    });
    return {
      whenRequested: () => expect.poll(() => service.requestsOf(route)).not.toHaveLength(0),
      release,
    };
  }

  async function expectWebhooksToBeApplied(): Promise<void> {
    const webhookId = await announce("moon_updated", "1");
    await expect.poll(() => receiptOf(webhookId)).toMatchObject({ outcome: "ignored" });
  }

  test("renewals, an unanswered payment and another webhook don't delay a webhook", async () => {
    const tokens = hold("POST /v1/oauth/token");
    const list = hold("GET /v1/routines");
    const routineRead = hold(`GET /v1/routines/${routine.id}`);
    try {
      await pay();
      const sellers = await Promise.all(Array.from({ length: 4 }, () => connectSeller({ status: "approved" })));
      for (const { id } of sellers) await makePairOld(id);
      service.answer("POST /v1/routines/book", () => refused(503, "unavailable"));
      await pay({ name: "Unanswered" });
      await partner().db.execute(sql`update routines set next_try_at = harbor_now() where state = 'unanswered'`);
      worker = await startPartnerWorker(partner());
      await Promise.all([tokens.whenRequested(), list.whenRequested()]);
      await expectWebhooksToBeApplied();
      await announce("routine_updated", routine.id);
      await routineRead.whenRequested();
      await expectWebhooksToBeApplied();
    } finally {
      for (const { release } of [tokens, list, routineRead]) release();
    }
  });

  test("leases a receipt for longer than a refresh and two calls of 10 s take", async () => {
    const held = hold("GET /v1/user");
    const { id } = await connectSeller({ status: "approved" });
    const webhookId = await announce("user_updated", id);
    const applied = processWebhooks(partner());
    await held.whenRequested();
    const { rows } = await partner().db.execute(
      sql`select next_attempt_real_at > now() + interval '30 seconds' as "isLeased" from webhook_receipts
        where webhook_id = ${webhookId}`,
    );
    held.release();
    await applied;
    expect(rows).toEqual([{ isLeased: true }]);
  });
});

async function makePairOld(serviceUserId: string): Promise<void> {
  await partner().db.execute(
    sql`update token_pairs set issued_at = issued_at - interval '8 days',
      refresh_token_expires_at = refresh_token_expires_at - interval '8 days' where service_user_id = ${serviceUserId}`,
  );
}

test("two workers share the work: each receipt is applied once", async () => {
  await pay();
  await Promise.all(Array.from({ length: 30 }, () => announce("transfer_updated", transfer.id)));
  service.requests.length = 0;
  await Promise.all([processWebhooks(partner()), processWebhooks(partner())]);
  expect(service.requestsOf(`GET /v1/transfers/${transfer.id}`)).toHaveLength(30);
});

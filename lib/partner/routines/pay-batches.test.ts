import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newIdAt } from "../../kit/ids.ts";
import { startPartnerWorker } from "../jobs/start-worker.ts";
import { partner } from "../process-partner.ts";
import type { ActionResult } from "../requests/form-state.ts";
import { claimWaitingPayments, storeOutcome, type WaitingPayment } from "../storage/payment-batches.ts";
import type { Person } from "../storage/people.ts";
import { requestComparison } from "../storage/routine-comparison.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness } from "../testing/connected-users.ts";
import { type FakePayments, takePayments } from "../testing/fake-payments.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { createPerson } from "../testing/people.ts";
import { type BatchView, readBatchView, readNewestBatches } from "./batch-view.ts";
import { compareRoutines } from "./compare-routines.ts";
import { payBatches } from "./pay-batches.ts";
import { resolveRoutines } from "./resolve-routines.ts";
import { draftOfForm, submitBatch, submitBatchRetry, submitConfirmation } from "./submit-batch.ts";
import { createRoutine } from "./submit-payment.ts";

// A confirmed batch pays each line once, no matter how often it's sent and what fails in between.

let service: FakeService;
let payments: FakePayments;
let business: ConnectedBusiness;
let email: string;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  await clearTables("batch_payments", "payment_batches", "routine_events", "routines", "webhook_receipts");
  service.clear();
  payments = takePayments(service);
  business = await connectBusiness();
  const statement = "select p.email from people p join service_users u on u.person_id = p.id and u.id = $1";
  email = (await partner().pool.query(statement, [business.sellerUserId])).rows[0].email;
});

function listOf(...names: string[]): string {
  return `email,amount,for\n${names.map((name) => `${email},12.50,${name}\n`).join("")}`;
}

function submit(batch_id: string, list: string): Promise<ActionResult> {
  return submitBatch(partner(), { batch_id, source_id: "source", list }, business.operator);
}

async function draft(list: string, id: string = crypto.randomUUID()): Promise<BatchView> {
  expect(await submit(id, list)).toEqual({ redirectTo: `/routines/batch/${id}` });
  return view(id);
}

async function view(id: string): Promise<BatchView> {
  const found = await readBatchView(partner(), id);
  if (!found) throw new Error("There is no such batch.");
  return found;
}

function confirm({ id, digest }: BatchView, operator: Person = business.operator): Promise<ActionResult> {
  return submitConfirmation(partner(), { batch_id: id, digest }, operator);
}

/** Claims and sends the waiting payment, like a worker that dies before it stores the outcome. */
async function claimAndSend(): Promise<WaitingPayment> {
  const [claimed] = await claimWaitingPayments(partner().db, 1);
  if (!claimed) throw new Error("No payment waits.");
  const { idempotencyKey: idempotency_key, sourceId: source_id, sellerUserId, amountCents: amount, name } = claimed;
  const payment = { idempotency_key, source_id, seller_user_id: sellerUserId, amount, name };
  await createRoutine(partner(), payment, business.operator);
  return claimed;
}

async function letLeasesEnd(): Promise<void> {
  await partner().pool.query("update batch_payments set next_try_real_at = now() where next_try_real_at is not null");
}

test("a draft pays nothing, and may be changed until it is confirmed", async () => {
  const before = await draft(listOf("Lamps"));
  const after = await draft(listOf("Lamps", "Chairs"), before.id);
  await payBatches(partner());
  expect(payments.created).toEqual([]);
  expect(after).toMatchObject({ confirmedAt: null, totalCents: 2500, payments: [{ line: 2 }, { line: 3 }] });
  expect(await draftOfForm(partner(), before.id)).toEqual({
    ...{ id: before.id, sourceId: "source" },
    list: listOf("Lamps", "Chairs"),
  });
  // A stale tab with the first list.
  expect(await confirm(before)).toMatchObject({ problems: [{ field: "form" }] });
  await payBatches(partner());
  expect(payments.created).toEqual([]);
});

test("names the lines that can't be paid, and stores nothing", async () => {
  const id = crypto.randomUUID();
  expect(await submit(id, `${listOf("Lamps")}x@example.com,0,Chairs\n`)).toMatchObject({
    problems: [
      { field: "list", message: "Line 3: No seller with the email address x@example.com can be paid yet." },
      { field: "list", message: "Line 3: Enter an amount greater than zero." },
    ],
  });
  expect(await readBatchView(partner(), id)).toBeUndefined();
});

test("reads the file of a form without scripts", async () => {
  const [id, file] = [crypto.randomUUID(), new File([listOf("Lamps")], "payments.csv")];
  await submitBatch(partner(), { batch_id: id, source_id: "source", list: "", file }, business.operator);
  expect(await view(id)).toMatchObject({ payments: [{ name: "Lamps" }] });
});

test("pays each line once with its own key, even if confirmed repeatedly and paid by several workers at once", async () => {
  const batch = await draft(listOf("Lamps", "Chairs", "Tables"));
  const confirmed = await Promise.all([confirm(batch), confirm(batch), confirm(batch)]);
  expect(new Set(confirmed.map((each) => JSON.stringify(each)))).toHaveLength(1);
  await Promise.all([payBatches(partner()), payBatches(partner())]);
  await confirm(batch);
  await submit(batch.id, listOf("Lamps", "Chairs", "Tables"));
  await submitBatchRetry(partner(), { batch_id: batch.id });
  await payBatches(partner());
  expect(payments.created.map(({ name }) => name).sort()).toEqual(["Chairs", "Lamps", "Tables"]);
  const keys = service.requestsOf("POST /v1/routines/book").map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys)).toHaveLength(3);
  expect(await view(batch.id)).toMatchObject({
    ...{ waiting: 0, unmade: 0 },
    payments: [{ status: "active" }, { status: "active" }, { status: "active" }],
  });
  expect(await readNewestBatches(partner())).toMatchObject([{ id: batch.id, payments: 3, totalCents: 3750 }]);
});

test("a resubmitted form goes to its batch, and doesn't accept another list", async () => {
  const batch = await draft(listOf("Lamps"));
  await confirm(batch);
  expect(await draftOfForm(partner(), batch.id)).toBeUndefined();
  expect(await submit(batch.id, listOf("Chairs"))).toMatchObject({ problems: [{ field: "form" }], link: {} });
  expect(await submit(batch.id, listOf("Lamps"))).toEqual({ redirectTo: `/routines/batch/${batch.id}` });
});

test("a stale review of another list says that the list was sent, not that nothing was", async () => {
  const before = await draft(listOf("Lamps"));
  const after = await draft(listOf("Chairs"), before.id);
  await confirm(after);
  expect(await confirm(before)).toMatchObject({
    problems: [{ field: "form", message: expect.stringContaining("already sent with other payments") }],
    link: { href: `/routines/batch/${before.id}` },
  });
});

test("a batch confirmed by another operator is theirs", async () => {
  const batch = await draft(listOf("Lamps"));
  const confirmer = await createPerson({ role: "operator" });
  await confirm(batch, confirmer);
  await payBatches(partner());
  const { rows } = await partner().pool.query("select created_by from routines");
  expect(rows).toEqual([{ created_by: confirmer.id }]);
});

test("reports another batch with the same payments, in any order", async () => {
  const batch = await draft(listOf("Lamps", "Chairs"));
  await confirm(batch);
  expect(await draft(listOf("Chairs", "Lamps"))).toMatchObject({ sameAs: { id: batch.id } });
  expect(await draft(listOf("Lamps"))).toMatchObject({ sameAs: null });
});

test("points out the newest identical batch that was confirmed within a week", async () => {
  const [older, newer, again] = [
    await draft(listOf("Lamps")),
    await draft(listOf("Lamps")),
    await draft(listOf("Lamps")),
  ];
  expect(again.sameAs).toBeNull();
  await confirm(older);
  await confirm(newer);
  const setAge = (days: number, { id }: BatchView) =>
    partner().pool.query(
      "update payment_batches set confirmed_at = harbor_now() - $1 * interval '1 day' where id = $2",
      [days, id],
    );
  await setAge(6.99, older);
  expect(await view(again.id)).toMatchObject({ sameAs: { id: newer.id } });
  await setAge(7.01, newer);
  expect(await view(again.id)).toMatchObject({ sameAs: { id: older.id } });
  await setAge(7.01, older);
  expect(await view(again.id)).toMatchObject({ sameAs: null });
});

test("lists the ten most recently confirmed batches, without drafts", async () => {
  const batches: BatchView[] = [];
  for (let at = 0; at < 12; at++) batches.push(await draft(listOf(`Lamps ${at}`)));
  const [, ...confirmed] = batches.toReversed();
  for (const batch of confirmed) await confirm(batch);
  expect((await readNewestBatches(partner())).map(({ id }) => id)).toEqual(
    confirmed
      .toReversed()
      .slice(0, 10)
      .map(({ id }) => id),
  );
});

test("a worker wakes for a confirmed batch", async () => {
  const worker = await startPartnerWorker(partner());
  try {
    const batch = await draft(listOf("Lamps"));
    await confirm(batch);
    await expect.poll(() => payments.created.length).toBe(1);
  } finally {
    await worker.stop();
  }
});

describe("when a worker is killed", () => {
  test("after the service made a payment, it isn't made again", async () => {
    const batch = await draft(listOf("Lamps"));
    await confirm(batch);
    await claimAndSend();
    await payBatches(partner());
    expect(await view(batch.id)).toMatchObject({ payments: [{ state: "waiting", status: "active" }] });
    await letLeasesEnd();
    await payBatches(partner());
    expect(payments.created).toHaveLength(1);
    expect(await view(batch.id)).toMatchObject({ payments: [{ state: "sent", status: "active" }] });
  });

  test("before it sent a payment, the next one sends it", async () => {
    const batch = await draft(listOf("Lamps"));
    await confirm(batch);
    await claimWaitingPayments(partner().db, 1);
    // A request, a refresh and the wait for a lock can take half a minute.
    expect(await payBatches(partner())).toBeGreaterThan(30_000);
    expect(payments.created).toEqual([]);
    await letLeasesEnd();
    expect(await payBatches(partner())).toBeUndefined();
    expect(payments.created).toHaveLength(1);
  });
});

test("a line that Harbor fails to pay is retried when its lease ends, and doesn't block others", async () => {
  const names = ["Lamps", "Chairs", "Tables", "Shelves", "Desks", "Stools", "Rugs"];
  const batch = await draft(listOf(...names));
  await confirm(batch);
  let failures = 0;
  const failing = {
    ...partner(),
    withPaymentLock: async <T>(key: string, work: () => Promise<T>): Promise<T> => {
      if (failures++ === 0) throw new Error("the connection of a lock broke");
      return partner().withPaymentLock(key, work);
    },
  };
  expect(await payBatches(failing)).toBeGreaterThan(30_000);
  expect(payments.created).toHaveLength(6);
  expect(await view(batch.id)).toMatchObject({ waiting: 1, unmade: 0 });
  await letLeasesEnd();
  await payBatches(partner());
  expect(payments.created.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(await view(batch.id)).toMatchObject({ waiting: 0, unmade: 0 });
});

test("retrying one batch's refused lines doesn't affect another's", async () => {
  payments.always(() => refused(422, "insufficient_funds"));
  const [first, second] = [await draft(listOf("Lamps")), await draft(listOf("Chairs"))];
  await confirm(first);
  await confirm(second);
  await payBatches(partner());
  payments.always(undefined);
  await submitBatchRetry(partner(), { batch_id: second.id });
  await payBatches(partner());
  expect(payments.created.map(({ name }) => name)).toEqual(["Chairs"]);
  expect([await view(first.id), await view(second.id)]).toMatchObject([{ unmade: 1 }, { unmade: 0 }]);
});

test("lines wait for a due comparison, show why, and are paid after it", async () => {
  const batch = await draft(listOf("Lamps"));
  await confirm(batch);
  await requestComparison(partner().db);
  service.answer("GET /v1/routines", () => refused(503, "unavailable"));
  expect(await payBatches(partner())).toBeGreaterThan(10_000);
  expect(await view(batch.id)).toMatchObject({ waiting: 1, payments: [{ reason: "comparing", state: "waiting" }] });
  service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: [], next: null } }));
  await letLeasesEnd();
  await payBatches(partner());
  expect(await view(batch.id)).toMatchObject({ waiting: 0, payments: [{ reason: null, state: "sent" }] });
});

test("a long batch makes progress with each claim", async () => {
  await confirm(await draft(listOf(...Array.from({ length: 11 }, (_, number) => `Lamp ${number}`))));
  const progress = vi.fn();
  await payBatches(partner(), undefined, progress);
  expect(payments.created).toHaveLength(11);
  expect(progress).toHaveBeenCalledTimes(3);
});

test.each(["before", "after"])(
  "a refusal of a worker that was too slow, %s another one sent it, changes nothing",
  async (when) => {
    const batch = await draft(listOf("Lamps"));
    await confirm(batch);
    const { idempotencyKey } = await claimAndSend();
    const outcomes = [{ state: "not_made", reason: "insufficient_funds" } as const, { state: "sent" } as const];
    for (const outcome of when === "before" ? outcomes : outcomes.reverse()) {
      await storeOutcome(partner().db, idempotencyKey, outcome);
    }
    expect(await view(batch.id)).toMatchObject({ unmade: 0, payments: [{ state: "sent" }] });
  },
);

test("a payment that another worker recorded as sent isn't made if its only request is refused", async () => {
  const batch = await draft(listOf("Lamps"));
  await confirm(batch);
  payments.next(async () => {
    // The first worker hangs until its lease ends, and another one gets past the payment's lock.
    await letLeasesEnd();
    await payBatches({ ...partner(), withPaymentLock: (_key, work) => work() });
    expect(await view(batch.id)).toMatchObject({ payments: [{ state: "sent" }] });
    return refused(422, "insufficient_funds");
  });
  await payBatches(partner());
  expect(payments.created).toEqual([]);
  expect(await view(batch.id)).toMatchObject({
    unmade: 1,
    payments: [{ state: "not_made", reason: "insufficient_funds", routineId: null }],
  });
});

test.each(["after", "without"])(
  "a line that was paid before a restore isn't paid again a week later, %s an earlier match",
  async (when) => {
    const batch = await draft(listOf("Lamps"));
    await confirm(batch);
    await payBatches(partner());
    const created = payments.get();
    // Harbor is restored to the moment between the confirmation and the payment.
    await clearTables("routine_events", "routines", "webhook_receipts");
    await partner().pool.query("update batch_payments set state = 'waiting', next_try_real_at = now()");
    if (when === "after") {
      await payBatches(partner());
      expect(await view(batch.id)).toMatchObject({ payments: [{ state: "not_made", reason: "found" }] });
    }
    // Eight days pass, and the service forgets the payment's key.
    const drafted = Date.now() - 8 * 86_400_000;
    created.created_at = new Date(drafted + 1000).toISOString();
    payments.forget(created);
    payments.created.push(created);
    payments.settle(created);
    await partner().pool.query("update batch_payments set idempotency_key = $1", [newIdAt(new Date(drafted))]);
    await partner().pool.query("update routines set created_at = created_at - interval '8 days'");
    await submitBatchRetry(partner(), { batch_id: batch.id });
    await payBatches(partner());
    expect(payments.created).toHaveLength(1);
    expect(await view(batch.id)).toMatchObject({ payments: [{ state: "not_made", reason: "found" }] });
  },
);

test("an unknown outcome is followed up like any payment's, and doesn't stop the others", async () => {
  payments.next((pay) => {
    pay();
    return "cut";
  });
  const batch = await draft(listOf("Lamps", "Chairs"));
  await confirm(batch);
  await payBatches(partner());
  const statuses = async () => (await view(batch.id)).payments.map(({ status }) => status).sort();
  expect(await statuses()).toEqual(["active", "unanswered"]);
  await partner().pool.query("update routines set next_try_at = harbor_now()");
  await resolveRoutines(partner());
  expect(await statuses()).toEqual(["active", "active"]);
  expect(payments.created).toHaveLength(2);
});

test("a refused line says why and can be tried again; the others are paid", async () => {
  payments.next(() => refused(422, "insufficient_funds"));
  const batch = await draft(listOf("Lamps", "Chairs"));
  await confirm(batch);
  await payBatches(partner());
  expect(await view(batch.id)).toMatchObject({ unmade: 1 });
  const notMade = (await view(batch.id)).payments.find(({ state }) => state === "not_made");
  expect(notMade).toMatchObject({ reason: "insufficient_funds", routineId: null });
  await submitBatchRetry(partner(), { batch_id: batch.id });
  await payBatches(partner());
  expect(payments.created.map(({ name }) => name).sort()).toEqual(["Chairs", "Lamps"]);
  expect(await view(batch.id)).toMatchObject({ unmade: 0 });
});

test("a busy service is retried later", async () => {
  payments.next(() => refused(429, "rate_limited"));
  const batch = await draft(listOf("Lamps"));
  await confirm(batch);
  expect(await payBatches(partner())).toBeGreaterThan(10_000);
  expect(await view(batch.id)).toMatchObject({ waiting: 1, payments: [{ reason: "busy" }] });
  await letLeasesEnd();
  await payBatches(partner());
  expect(payments.created).toHaveLength(1);
});

test("a line that never left Harbor waits, and is sent later", async () => {
  await compareRoutines(partner());
  const { tokenStore, config } = partner();
  const tokens = await tokenStore.read(config.businessUserId);
  if (!tokens) throw new Error("The business is connected.");
  await tokenStore.remove(config.businessUserId, { accessToken: tokens.accessToken });
  service.answer("POST /v1/oauth/token", () => refused(503, "temporarily_unavailable"));
  const batch = await draft(listOf("Lamps"));
  await confirm(batch);
  expect(await payBatches(partner())).toBeGreaterThan(10_000);
  expect(await view(batch.id)).toMatchObject({
    waiting: 1,
    payments: [{ state: "waiting", reason: "not_sent", routineId: null }],
  });
  await tokenStore.write(config.businessUserId, tokens);
  await letLeasesEnd();
  await payBatches(partner());
  expect(payments.created).toHaveLength(1);
});

test("a line that matches a payment that may have been made isn't sent", async () => {
  payments.next((pay) => {
    pay();
    return "cut";
  });
  const [first, second] = [await draft(listOf("Lamps")), await draft(listOf("Lamps"))];
  await confirm(first);
  await payBatches(partner());
  await confirm(second);
  await payBatches(partner());
  const { routineId } = (await view(first.id)).payments[0] ?? {};
  expect(await view(second.id)).toMatchObject({
    payments: [{ state: "not_made", reason: "twin_unanswered", otherRoutineId: routineId }],
  });
  // A refusal deletes the other payment.
  await partner().pool.query("delete from routines where id = $1", [routineId]);
  expect(await view(second.id)).toMatchObject({
    payments: [{ state: "not_made", reason: "twin_unanswered", otherRoutineId: null }],
  });
  expect(payments.created).toHaveLength(1);
});

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { readComparison, startComparisonNow, storeComparison } from "../storage/routine-comparison.ts";
import { acknowledgeSecondRecord, flagSecondRecord } from "../storage/routine-resolution.ts";
import { beginResend } from "../storage/routine-sends.ts";
import { findRoutine } from "../storage/routines.ts";
import { beginRead, storeUserSnapshot } from "../storage/service-users.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness, connectSeller } from "../testing/connected-users.ts";
import { type FakePayments, takePayments } from "../testing/fake-payments.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { announce, followUp, paidAndCut } from "../testing/follow-up.ts";
import { pay as payBusiness } from "../testing/pay.ts";
import { routineRecordOf, transferRecordOf } from "../testing/records.ts";
import { processWebhooks } from "../webhooks/process-webhooks.ts";
import { applyReport } from "./apply-report.ts";
import { compareRoutines, compareRoutinesWhenDue } from "./compare-routines.ts";
import { watchRoutine } from "./refresh-routine.ts";
import { parseRoutineListQuery, readRoutineList, readRoutineView } from "./routine-view.ts";
import { sendAgain } from "./submit-resolution.ts";

// After either side is restored to an earlier point in time, nothing is paid twice, and anything one side lost is shown as
// unknown. Payments are counted at the service.

let service: FakeService;
let payments: FakePayments;
let business: ConnectedBusiness;
const sourceId = newId();

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  await clearTables("routine_events", "routines", "webhook_receipts", "routine_comparison");
  service.clear();
  payments = takePayments(service);
  business = await connectBusiness();
});

function pay(fields: Record<string, string> = {}) {
  return payBusiness(business, { source_id: sourceId, ...fields });
}

async function payOnce(fields: Record<string, string> = {}): Promise<string> {
  const created = await pay(fields);
  if (created.kind !== "created") throw new Error(`The payment should be created: ${JSON.stringify(created)}`);
  return created.routineId;
}

/** Moves a payment's times back, so that it's due to be read again. */
async function letHoursPass(): Promise<void> {
  await partner().db.execute(sql`update routines set last_sent_real_at = last_sent_real_at - interval '2 hours',
    asked_real_at = asked_real_at - interval '2 hours', missing_real_at = missing_real_at - interval '2 hours'`);
}

/** Restores Harbor's database to a moment before any payment. */
async function restoreHarbor(): Promise<void> {
  await clearTables("routine_events", "routines", "webhook_receipts");
}

async function listed(status: string) {
  return (await readRoutineList(partner(), parseRoutineListQuery({ status }))).routines;
}

describe("a service that was restored to an earlier moment", () => {
  let id: string;
  let first: ReturnType<typeof payments.get>;

  beforeEach(async () => {
    id = await payOnce();
    first = payments.get();
    await letHoursPass();
  });

  async function loseCompleted(): Promise<void> {
    payments.settle(payments.get());
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded", isOver: true });
    payments.forget(payments.get());
    await letHoursPass();
  }

  async function loseAndNotice(): Promise<void> {
    await loseCompleted();
    await watchRoutine(partner(), id);
    await letHoursPass();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "missing" });
  }

  test("makes a pending payment unknown to the service, in the list and on its page", async () => {
    payments.forget(payments.get());
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "missing", status: "missing", isOver: false });
    expect((await listed("attention")).map((row) => row.id)).toEqual([id]);
    expect(await listed("active")).toEqual([]);
  });

  test("makes a completed payment unknown to the service when its page is open", async () => {
    await loseCompleted();
    await watchRoutine(partner(), id);
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "missing", transferStatus: "processed" });
  });

  test("makes a completed payment unknown to the service when the lists are compared, with no other payment read", async () => {
    await payOnce({ name: "Chairs" });
    await loseCompleted();
    service.requests.length = 0;
    expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", missing: 1 });
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "missing" });
    const reads = service.requests.filter(({ path }) => /\/v1\/(routines|transfers)\//.test(path));
    expect(reads).toHaveLength(2);
  });

  test("marks every lost payment as unknown, regardless of age, once one of them is", async () => {
    await loseCompleted();
    const older = "01900000-0000-7000-8000-000000000001";
    await partner().db.execute(sql`insert into routines (id, idempotency_key, created_by, service_routine_id, transfer_id, name,
      amount_cents, source_id, destination_id, seller_user_id, state, trace_id, created_at, updated_at)
      select ${older}::uuid, gen_random_uuid(), created_by, 'older', 'older', name, amount_cents, source_id, destination_id,
      seller_user_id, state, trace_id, created_at, updated_at from routines`);
    expect(await compareRoutines(partner())).toMatchObject({ missing: 2 });
  });

  test("marks each of 600 lost payments as unknown in one comparison, among newer ones that still exist", async () => {
    const lost = 600;
    await partner().db.execute(sql`insert into routines (id, idempotency_key, created_by, service_routine_id, transfer_id, name,
      amount_cents, source_id, destination_id, seller_user_id, state, trace_id, created_at, updated_at)
      select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
      gen_random_uuid(), created_by, 'lost ' || n, 'lost ' || n, 'Lamps ' || n, amount_cents, source_id, destination_id,
      seller_user_id, 'succeeded', trace_id, at, at
      from routines, generate_series(1, ${lost}) n, lateral (select now() - n * interval '1 hour' as at) times`);
    service.answer("GET /v1/routines/{id}", () => refused(404, "not_found"));
    service.answer("GET /v1/transfers/{id}", () => refused(404, "not_found"));
    for (let at = 0; at < 20; at++) await payOnce({ name: `Chairs ${at}` });
    await letHoursPass();
    expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", missing: lost });
    expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", missing: 0 });
    const seen = new Set<string>();
    let before: string | undefined;
    do {
      const page = await readRoutineList(partner(), { filter: "attention", search: "", before });
      expect(page.attention).toBe(lost);
      for (const row of page.routines) seen.add(row.id);
      before = page.next;
    } while (before);
    expect(seen.size).toBe(lost);
  });

  test("a payment that it briefly can't find isn't marked as lost", async () => {
    await loseAndNotice();
    payments.settle(first);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "succeeded",
      transferStatus: "processed",
      isOver: true,
    });
  });

  test.each([503, 401])("keeps a lost payment missing while its records are answered with %i", async (status) => {
    await loseAndNotice();
    service.answer(`GET /v1/routines/${first.id}`, () => refused(status, "unavailable"));
    service.answer(`GET /v1/transfers/${first.transfer_id}`, () => refused(status, "unavailable"));
    await watchRoutine(partner(), id);
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "missing" });
  });

  test("keeps a lost payment missing while one of its records can't be read", async () => {
    await loseAndNotice();
    service.answer(`GET /v1/transfers/${first.transfer_id}`, () => refused(503, "unavailable"));
    await watchRoutine(partner(), id);
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "missing" });
  });

  test("keeps a lost payment missing that was still pending, while its records can't be read", async () => {
    payments.forget(payments.get());
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "missing", status: "missing", isOver: false });
    await letHoursPass();
    service.answer(`GET /v1/routines/${first.id}`, () => refused(503, "unavailable"));
    service.answer(`GET /v1/transfers/${first.transfer_id}`, () => refused(503, "unavailable"));
    await watchRoutine(partner(), id);
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "missing" });
  });

  test("with unreadable times in microseconds, is still paid and followed", async () => {
    payments.next((makePayment) => ({
      status: 201,
      body: { ...makePayment(), created_at: Date.now() * 1000 } as never,
    }));
    const id2 = await payOnce({ name: "Chairs" });
    expect(await readRoutineView(partner(), id2)).toMatchObject({ state: "open" });
  });

  test("while its records can't be read, send again says so, and another form is still held back", async () => {
    await loseAndNotice();
    service.answer(`GET /v1/routines/${first.id}`, () => refused(503, "unavailable"));
    service.answer(`GET /v1/transfers/${first.transfer_id}`, () => refused(503, "unavailable"));
    expect(await sendAgain(partner(), id)).toMatchObject({ problems: [{ field: "form" }] });
    expect(await pay()).toMatchObject({ kind: "problem", form: { link: { href: `/routines/${id}` } } });
  });

  test("when a worker can't read a lost payment's records, another form is still held back", async () => {
    await loseAndNotice();
    service.answer(`GET /v1/routines/${first.id}`, () => refused(503, "unavailable"));
    service.answer(`GET /v1/transfers/${first.transfer_id}`, () => refused(503, "unavailable"));
    await followUp();
    expect(await pay()).toMatchObject({ kind: "problem", form: { link: { href: `/routines/${id}` } } });
  });

  test("needs a person for a payment that comes back processed after it was canceled", async () => {
    payments.settle(payments.get(), ["cancelled", "cancelled"]);
    await followUp();
    payments.forget(payments.get());
    await letHoursPass();
    await watchRoutine(partner(), id);
    payments.settle(first);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "conflicting" });
  });

  test("isn't considered to have lost a payment that was sent a moment ago", async () => {
    const fresh = await payOnce({ name: "Chairs" });
    payments.forget(payments.get(1));
    await partner().db.execute(sql`update routines set asked_real_at = null`);
    await watchRoutine(partner(), fresh);
    expect(await readRoutineView(partner(), fresh)).toMatchObject({ state: "open" });
  });

  test("gets a lost payment again under its own key, once, when eight people press at once", async () => {
    await loseAndNotice();
    const sent = await Promise.all(Array.from({ length: 8 }, () => sendAgain(partner(), id)));
    expect(new Set(sent)).toEqual(new Set([undefined]));
    expect(payments.created).toHaveLength(1);
    const keys = service.requestsOf("POST /v1/routines/book").map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(await sendAgain(partner(), id)).toBeUndefined();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "open", serviceRoutineId: payments.get().id });
    payments.settle(payments.get());
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded" });
    expect(payments.created).toHaveLength(1);
  });

  test("isn't sent it again while another payment may be paid twice, which the answer links to", async () => {
    const twice = await payOnce({ name: "Chairs" });
    await loseAndNotice();
    await flagSecondRecord(partner().db, twice, newId());
    expect(await sendAgain(partner(), id)).toMatchObject({
      problems: [{ field: "form", message: expect.stringContaining("paid twice") }],
      link: { href: `/routines/${twice}`, label: "View that payment" },
    });
    await acknowledgeSecondRecord(partner().db, twice, business.operator.id);
    expect(await sendAgain(partner(), id)).toBeUndefined();
  });

  test("isn't reported as unsent when another operator sends it during the checks", async () => {
    await loseAndNotice();
    const transferRoute = `GET /v1/transfers/${first.transfer_id}`;
    service.answer(transferRoute, async () => {
      service.answer(transferRoute, () => refused(404, "not_found"));
      expect(await sendAgain(partner(), id)).toBeUndefined();
      return refused(400, "bad_request");
    });
    expect(await sendAgain(partner(), id)).toBeUndefined();
    expect(payments.created).toHaveLength(1);
  });

  test("gets a lost payment from only one of eight requests that got past its lock", async () => {
    await loseAndNotice();
    const row = await findRoutine(partner().db, id);
    if (!row) throw new Error("The payment is known.");
    const begun = await Promise.all(Array.from({ length: 8 }, () => beginResend(partner().db, row)));
    expect(begun.filter(Boolean)).toHaveLength(1);
  });

  test("isn't resent a payment that turns up again", async () => {
    await loseAndNotice();
    payments.settle(first);
    expect(await sendAgain(partner(), id)).toBeUndefined();
    expect(service.requestsOf("POST /v1/routines/book")).toHaveLength(1);
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded" });
  });

  test.each([
    ["refuses", () => refused(503, "unavailable")],
    ["has no token for us", () => refused(401, "invalid_token")],
  ])("is not sent a payment again while its list %s", async (_what, answer) => {
    await loseAndNotice();
    service.answer("GET /v1/routines", answer);
    expect(await sendAgain(partner(), id)).toMatchObject({ problems: [{ field: "form" }] });
    expect(service.requestsOf("POST /v1/routines/book")).toHaveLength(1);
  });

  test("resends nothing and informs the operator when a comparison takes long", async () => {
    await loseAndNotice();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.answer("GET /v1/routines", async () => {
      await held;
      return refused(503, "unavailable");
    });
    const startedAt = performance.now();
    expect(await sendAgain(partner(), id)).toMatchObject({
      problems: [{ message: expect.stringContaining("Nothing was sent") }],
    });
    expect(performance.now() - startedAt).toBeLessThan(8000);
    expect(service.requestsOf("POST /v1/routines/book")).toHaveLength(1);
    release();
    await compareRoutines(partner());
  });

  test("doesn't get the same payment from another form while the lost one may come back", async () => {
    await loseAndNotice();
    const sent = payments.created.length;
    const repaid = await pay();
    expect(repaid).toMatchObject({ kind: "problem", form: { link: { href: `/routines/${id}` } } });
    expect(payments.created).toHaveLength(sent);
  });

  test("doesn't get a payment again within five minutes of losing it", async () => {
    await loseAndNotice();
    await partner().db.execute(sql`update routines set missing_real_at = now() - interval '4 minutes'`);
    expect(await sendAgain(partner(), id)).toMatchObject({ problems: [{ field: "form" }] });
    expect(service.requestsOf("POST /v1/routines/book")).toHaveLength(1);
  });

  test("refuses a resent payment: it stays unknown, and can be resent later", async () => {
    await loseAndNotice();
    payments.next(() => refused(422, "insufficient_funds"));
    expect(await sendAgain(partner(), id)).toMatchObject({ problems: [{ field: "amount" }] });
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "missing", transferStatus: "processed" });
    expect(await sendAgain(partner(), id)).toBeUndefined();
    expect(payments.created).toHaveLength(1);
  });

  test("doesn't answer when a payment is resent: its outcome is found out like any other's", async () => {
    await loseAndNotice();
    payments.next(paidAndCut);
    expect(await sendAgain(partner(), id)).toBeUndefined();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "unanswered" });
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "open", serviceRoutineId: payments.get().id });
    expect(payments.created).toHaveLength(1);
  });

  test("answers late, from before a resend, that a payment is lost: the new one is followed", async () => {
    await loseAndNotice();
    const readLate = () =>
      applyReport(partner(), id, {
        serviceRoutineId: first.id,
        transferId: first.transfer_id,
        routine: { kind: "gone" },
        transfer: { kind: "gone" },
      });
    payments.next(async (makePayment) => {
      await readLate();
      return { status: 201, body: makePayment() };
    });
    await sendAgain(partner(), id);
    await readLate();
    const view = await readRoutineView(partner(), id);
    expect(view).toMatchObject({ state: "open", serviceRoutineId: payments.get().id, secondServiceRoutineId: null });
  });

  test("isn't resent a payment that Harbor resent before it was restored too", async () => {
    await loseAndNotice();
    const { rows } = await partner().pool.query("select * from routines");
    await sendAgain(partner(), id);
    // Days later, Harbor is restored to the moment before that, and the service has forgotten the payment's key.
    const resent = payments.get();
    payments.forget(resent);
    payments.created.push(resent);
    payments.settle(resent);
    await restoreHarbor();
    const backup = JSON.stringify(rows);
    await partner().pool.query("insert into routines select * from json_populate_recordset(null::routines, $1)", [
      backup,
    ]);
    await letHoursPass();
    expect(await sendAgain(partner(), id)).toMatchObject({
      problems: [{ message: expect.stringContaining("already has exactly this payment") }],
    });
    expect(payments.created).toHaveLength(1);
  });

  test("is recognized as having both when a lost payment turns up after a resend", async () => {
    await loseAndNotice();
    await sendAgain(partner(), id);
    payments.created.push(first);
    payments.settle(first);
    await compareRoutines(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({ secondServiceRoutineId: first.id });
    expect(await listed("all")).toHaveLength(1);
  });
});

describe("Harbor's database restored to an earlier moment", () => {
  async function ownDestination(): Promise<void> {
    const usable = { usableAccountIds: [business.destinationId] };
    await storeUserSnapshot(partner().db, business.sellerUserId, usable, await beginRead(partner().db));
  }

  test("adopts the payments that it lost before the next one, and refuses to pay one of them again", async () => {
    await payOnce();
    await payOnce({ name: "Chairs" });
    payments.settle(payments.get());
    await restoreHarbor();
    await ownDestination();
    expect((await readComparison(partner().db)).isDue).toBe(true);
    expect(await pay()).toMatchObject({
      kind: "problem",
      form: { problems: [{ message: expect.stringContaining("already has exactly this payment") }] },
    });
    expect(payments.created).toHaveLength(2);
    await followUp();
    const all = await listed("all");
    expect(all.map(({ name, state, sellerName }) => [name, state, sellerName])).toEqual([
      ["Chairs", "open", expect.stringContaining("Marta Quay")],
      ["Lamps", "succeeded", expect.stringContaining("Marta Quay")],
    ]);
    for (const { id } of all) expect(await readRoutineView(partner(), id)).toMatchObject({ isFound: true });
    await payOnce({ name: "Tables" });
    expect(payments.created).toHaveLength(3);
  });

  const isOld = "150 days";
  const isNew = "0 days";
  test.each([
    ["whose key was voided", { age: isNew, isSaid: false, state: "refused", isDue: false }],
    ["said not to be created long ago", { age: isOld, isSaid: true, state: "refused", isDue: false }],
    ["said not to be created just before", { age: isNew, isSaid: true, state: "refused", isDue: true }],
    ["replayed long ago", { age: isOld, isSaid: false, state: "succeeded", isDue: true }],
  ])(
    "adopts a lost payment instead of assigning it to an equal one %s",
    async (_which, { age, isSaid, state, isDue }) => {
      payments.next(() => "cut");
      const earlier = await payOnce();
      const recordId = state === "refused" ? null : newId();
      service.answer(`GET /v1/routines/${recordId}`, () => refused(503, "unavailable"));
      await partner().db.execute(sql`update routines set state = ${state}, service_routine_id = ${recordId}, replays = 1,
      failure_reason = 'unknown', resolved_by = ${isSaid ? business.operator.id : null}, next_try_at = null,
      created_at = created_at - ${age}::interval, first_sent_real_at = first_sent_real_at - ${age}::interval,
      last_sent_real_at = last_sent_real_at - ${age}::interval`);
      const lost = await payOnce();
      await partner().db.execute(sql`delete from routine_events where routine_id = ${lost}`);
      await partner().db.execute(sql`delete from routines where id = ${lost}`);
      if (isDue) await clearTables("routine_comparison");
      await compareRoutines(partner());
      expect(await pay()).toMatchObject({
        kind: "problem",
        form: { problems: [{ message: expect.stringContaining("already has exactly this payment") }] },
      });
      expect(payments.created).toHaveLength(1);
      expect(await readRoutineView(partner(), earlier)).toMatchObject({ state, secondServiceRoutineId: null });
    },
  );

  test("doesn't accept a comparison that began before the restore", async () => {
    await payOnce();
    service.answer("GET /v1/routines", async ({ query }) => {
      if (!query.get("starting_after"))
        return { status: 200, body: { routines: [payments.get()], next: payments.get().id } };
      await restoreHarbor();
      return { status: 200, body: { routines: [], next: null } };
    });
    expect(await compareRoutines(partner())).toEqual({ kind: "failed" });
    expect((await readComparison(partner().db)).isDue).toBe(true);
    await ownDestination();
    service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: [payments.get()], next: null } }));
    expect(await pay()).toMatchObject({ kind: "problem" });
    expect(payments.created).toHaveLength(1);
  });

  test.each([
    [
      "that had no list",
      async () => {
        service.answer("GET /v1/routines", () => refused(404, "not_found"));
        await compareRoutines(partner());
      },
    ],
    [
      "that an operator skipped",
      async () =>
        storeComparison(partner().db, {
          ...(await readComparison(partner().db)),
          isPartial: true,
          isCovering: false,
        }),
    ],
  ])("compares back to the last complete comparison, past one %s", async (_which, comparePartly) => {
    await payOnce();
    await partner().db.execute(sql`update routine_comparison set covered_until_real_at = now() - interval '4 days'`);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const older = { ...payments.get(), created_at: daysAgo(3) };
    const newer = routineRecordOf({ name: "Chairs", created_at: daysAgo(2) });
    await restoreHarbor();
    await comparePartly();
    expect(await readComparison(partner().db)).toMatchObject({ isDue: false, isPartial: true });
    // The second page is only read if the first one doesn't go back far enough.
    service.answer("GET /v1/routines", ({ query }) => ({
      status: 200,
      body: query.get("starting_after") ? { routines: [older], next: null } : { routines: [newer], next: newer.id },
    }));
    await compareRoutines(partner());
    expect((await listed("all")).map(({ name }) => name)).toEqual(["Chairs", "Lamps"]);
  });

  test("shows a payment to an unknown account as such", async () => {
    await payOnce();
    await restoreHarbor();
    await partner().db.execute(sql`update service_users set account_id = null`);
    await compareRoutines(partner());
    expect(await listed("all")).toMatchObject([{ name: "Lamps", sellerName: "" }]);
  });

  test("names the seller of a payment to an unknown account once their account is read", async () => {
    await payOnce();
    await restoreHarbor();
    await partner().db.execute(sql`update service_users set account_id = null`);
    await compareRoutines(partner());
    const other = await connectSeller({ status: "approved" });
    const store = async (userId: string, accountId: string) =>
      storeUserSnapshot(partner().db, userId, { usableAccountIds: [accountId] }, await beginRead(partner().db));
    await store(other.id, newId());
    expect(await listed("all")).toMatchObject([{ sellerName: "" }]);
    await store(business.sellerUserId, business.destinationId);
    expect(await listed("all")).toMatchObject([{ name: "Lamps", sellerName: expect.stringContaining("Marta Quay") }]);
  });

  test("pays nothing while the list can't be read, says so, and discards the attempt", async () => {
    await payOnce();
    await restoreHarbor();
    service.answer("GET /v1/routines", () => refused(503, "unavailable"));
    expect(await pay({ name: "Chairs" })).toMatchObject({
      kind: "problem",
      form: { problems: [{ message: expect.stringContaining("Nothing was sent") }] },
    });
    expect(payments.created).toHaveLength(1);
    expect(await listed("all")).toEqual([]);
  });

  test("sends an already submitted form to its payment, even with a comparison due", async () => {
    const key = { idempotency_key: crypto.randomUUID() };
    const id = await payOnce(key);
    await partner().db.execute(sql`update routine_comparison set database_identity = 'another'`);
    service.answer("GET /v1/routines", () => refused(503, "unavailable"));
    expect(await pay(key)).toEqual({ kind: "created", routineId: id });
  });

  test.each([404, 405, 501])("doesn't stop payments forever if lists return %i, and says so", async (status) => {
    service.answer("GET /v1/routines", () => refused(status, "not_found"));
    service.answer("GET /v1/transfers", () => refused(status, "not_found"));
    await payOnce();
    expect(await readComparison(partner().db)).toMatchObject({ isDue: false, isPartial: true });
  });

  test("adopts payments from the list of transfers if there's no list of routines", async () => {
    await payOnce();
    const { id, transfer_id } = payments.get();
    await restoreHarbor();
    service.answer("GET /v1/routines", () => refused(404, "not_found"));
    const transfer = transferRecordOf({ id: transfer_id, routine_id: id });
    service.answer("GET /v1/transfers", () => ({ status: 200, body: { transfers: [transfer], next: null } }));
    expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", found: 1, isPartial: false });
    expect(await listed("all")).toMatchObject([{ name: "Lamps" }]);
  });

  describe("with a list of transfers alone", () => {
    const routineOf = { path: "" };

    beforeEach(async () => {
      await payOnce();
      const { id, transfer_id } = payments.get();
      routineOf.path = `GET /v1/routines/${id}`;
      await restoreHarbor();
      await ownDestination();
      listTransfer(transferRecordOf({ id: transfer_id, routine_id: id }));
    });

    function listTransfer(transfer: Record<string, unknown>): void {
      service.answer("GET /v1/routines", () => refused(404, "not_found"));
      service.answer("GET /v1/transfers", () => ({ status: 200, body: { transfers: [transfer], next: null } }));
    }

    test.each([
      ["is answered with 429", () => refused(429, "rate_limited")],
      ["is answered with 503", () => refused(503, "unavailable")],
      ["gets no answer", () => "cut" as const],
    ])("pays nothing while the read of a listed payment %s", async (_how, answer) => {
      service.answer(routineOf.path, answer);
      expect(await compareRoutines(partner())).toEqual({ kind: "failed" });
      expect((await readComparison(partner().db)).isDue).toBe(true);
      expect(await pay()).toMatchObject({ kind: "problem", form: { title: "Please try again in a minute" } });
      expect(payments.created).toHaveLength(1);
      payments.settle(payments.get());
      expect(await pay()).toMatchObject({
        kind: "problem",
        form: { title: "This payment may already have been made" },
      });
      expect(payments.created).toHaveLength(1);
    });

    test.each([403, 405, 501])("isn't compared completely if the read of a listed payment gets %i", async (status) => {
      service.answer(routineOf.path, () => refused(status, "refused"));
      expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", found: 0, isPartial: true });
    });

    test("isn't compared completely if a transfer doesn't name its routine", async () => {
      const unnamed = { id: payments.get().transfer_id };
      service.answer(`GET /v1/transfers/${unnamed.id}`, () => ({ status: 200, body: unnamed }));
      listTransfer(unnamed);
      expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", found: 0, isPartial: true });
    });

    test("is compared completely if a transfer's routine isn't the business's", async () => {
      service.answer(routineOf.path, () => refused(404, "not_found"));
      expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", found: 0, isPartial: false });
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ["has no amount", { ...routineRecordOf(), amount: undefined }],
    ["has no id", { ...routineRecordOf(), id: undefined }],
  ])("isn't compared completely if a listed payment %s", async (_what, record) => {
    const routines = [routineRecordOf(), record];
    service.answer("GET /v1/routines", () => ({ status: 200, body: { routines, next: null } }));
    expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", found: 1, isPartial: true });
    expect((await readComparison(partner().db)).coveredUntil).toBeNull();
  });

  test("a list of exactly 100 that says it ended is complete", async () => {
    const records = Array.from({ length: 100 }, (_, at) =>
      routineRecordOf({ name: `Lamps ${at}`, created_at: new Date(Date.now() - at * 1000).toISOString() }),
    );
    service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: records, next: null } }));
    service.answer("GET /v1/transfers", () => ({
      status: 200,
      body: {
        transfers: records.map(({ id, transfer_id, created_at }) =>
          transferRecordOf({ id: transfer_id, routine_id: id, created_at }),
        ),
        next: null,
      },
    }));
    expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", found: 100, isPartial: false });
    expect((await readRoutineList(partner(), parseRoutineListQuery({}))).isPartial).toBe(false);
  });

  test("misses no page, and starts over when one can't be read", async () => {
    const records = Array.from({ length: 250 }, (_, at) =>
      routineRecordOf({ name: `Lamps ${at}`, created_at: new Date(Date.now() - at * 1000).toISOString() }),
    );
    let isBroken = true;
    service.answer("GET /v1/routines", ({ query }) => {
      const from = records.findIndex(({ id }) => id === query.get("starting_after")) + 1;
      if (from === 200 && isBroken) return refused(503, "unavailable");
      const page = records.slice(from, from + 100);
      const isLast = from + 100 >= records.length;
      return { status: 200, body: { routines: page, next: isLast ? null : page.at(-1)?.id } };
    });
    expect(await compareRoutines(partner())).toEqual({ kind: "failed" });
    expect((await readComparison(partner().db)).isDue).toBe(true);
    isBroken = false;
    expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", found: 50 });
    const { rows } = await partner().db.execute(
      sql`select count(*)::int as count from routines where created_by is null`,
    );
    expect(rows).toEqual([{ count: 250 }]);
  });

  test("adopts a payment once, even if many events and comparisons find it at the same time", async () => {
    await payOnce();
    await restoreHarbor();
    for (let copy = 0; copy < 6; copy++) await announce("routine_updated", payments.get().id);
    await Promise.all([processWebhooks(partner()), compareRoutines(partner()), processWebhooks(partner())]);
    expect(await listed("all")).toHaveLength(1);
  });

  test("compares again after a genuine event about an unknown payment", async () => {
    await payOnce();
    await payOnce({ name: "Chairs" });
    await restoreHarbor();
    await compareRoutines(partner());
    await partner().db.execute(sql`delete from routine_events`);
    await partner().db.execute(sql`delete from routines`);
    expect((await readComparison(partner().db)).isDue).toBe(false);
    await announce("transfer_updated", payments.get().transfer_id);
    await processWebhooks(partner());
    expect(await listed("all")).toMatchObject([{ name: "Lamps" }]);
    expect((await readComparison(partner().db)).isDue).toBe(true);
    await compareRoutinesWhenDue(partner());
    expect(await listed("all")).toHaveLength(2);
    expect((await readComparison(partner().db)).isDue).toBe(false);
  });

  test("recognizes its own payment in one that it adopted before the answer arrived", async () => {
    payments.next(async (makePayment) => {
      const body = makePayment();
      await partner().db.execute(sql`update routines set state = 'unanswered', name = 'lamps' where name = 'Lamps'`);
      await compareRoutines(partner());
      return { status: 201, body };
    });
    const id = await payOnce();
    expect(await listed("all")).toHaveLength(1);
    expect(await readRoutineView(partner(), id)).toMatchObject({ serviceRoutineId: payments.get().id, isFound: false });
  });

  test("doesn't count as compared when the process stops midway", async () => {
    await payOnce();
    await letHoursPass();
    const { comparedAt } = await readComparison(partner().db);
    const stopping = new AbortController();
    service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: [], next: null } }));
    service.answer(`GET /v1/routines/${payments.get().id}`, () => {
      stopping.abort();
      return { status: 200, body: payments.get() };
    });
    expect(await compareRoutines(partner(), { stopping: stopping.signal })).toEqual({ kind: "failed" });
    expect(await readComparison(partner().db)).toMatchObject({ comparedAt });
  });

  test.each([
    ["never", 30 * 24],
    ["two hours ago", 24],
    ["three days ago", 73],
  ])("when it was compared %s, is compared with the last %i hours of the list", async (compared, hours) => {
    const hoursAgo = [1, hours / 2, hours - 0.3, hours + 0.3, hours + 1, hours + 2];
    const records = hoursAgo.map((hour) =>
      routineRecordOf({ name: `${hour}`, created_at: new Date(Date.now() - hour * 3_600_000).toISOString() }),
    );
    service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: [], next: null } }));
    if (compared !== "never") await compareRoutines(partner());
    await partner().db.execute(sql`update routine_comparison
      set covered_until_real_at = covered_until_real_at - ${compared === "two hours ago" ? "1 hour" : "72 hours"}::interval`);
    // With one payment per page, reading stops at the first one that's too old.
    service.answer("GET /v1/routines", ({ query }) => {
      const at = records.findIndex(({ id }) => id === query.get("starting_after")) + 1;
      return { status: 200, body: { routines: records.slice(at, at + 1), next: records[at]?.id } };
    });
    expect(await compareRoutines(partner())).toMatchObject({ kind: "compared", found: 4 });
    const adopted = (await listed("all")).map(({ name }) => Number(name));
    expect(adopted.sort((one, other) => one - other)).toEqual(hoursAgo.slice(0, 4));
  });

  test("keeps comparing back to the last complete comparison after an operator compared fewer days", async () => {
    await compareRoutines(partner());
    await partner().db.execute(sql`update routine_comparison set covered_until_real_at = now() - interval '4 days'`);
    const createdAt = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const [newer, older] = [routineRecordOf({ name: "Chairs" }), routineRecordOf({ created_at: createdAt })];
    service.answer("GET /v1/routines", ({ query }) => ({
      status: 200,
      body: query.get("starting_after")
        ? { routines: [older], next: null }
        : {
            routines: [{ ...newer, created_at: new Date(Date.now() - 1.5 * 86_400_000).toISOString() }],
            next: newer.id,
          },
    }));
    expect(await compareRoutines(partner(), { days: 1 })).toMatchObject({ kind: "compared", found: 2 });
  });

  test("adopts nothing from before the demo was reset", async () => {
    await clearTables("routine_comparison");
    await startComparisonNow(partner().db);
    const recordAt = (ms: number) =>
      routineRecordOf({ name: `${ms}`, created_at: new Date(Date.now() + ms).toISOString() });
    const records = [recordAt(60_000), recordAt(-60_000)];
    service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: records, next: null } }));
    expect(await compareRoutines(partner())).toMatchObject({ found: 1 });
    expect(await listed("all")).toMatchObject([{ name: "60000" }]);
  });

  test("refuses to repeat an adopted payment for a week", async () => {
    await payOnce();
    await restoreHarbor();
    await ownDestination();
    await compareRoutines(partner());
    const setAge = (days: number) =>
      partner().db.execute(sql`update routines set created_at = harbor_now() - ${days} * interval '1 day'`);
    await setAge(6.9);
    expect(await pay()).toMatchObject({ kind: "problem", form: { link: { label: "View that payment" } } });
    expect(payments.created).toHaveLength(1);
    await setAge(7.1);
    await payOnce();
    expect(payments.created).toHaveLength(2);
  });

  test("is compared once in ten minutes when nothing is due", async () => {
    await compareRoutines(partner());
    service.requests.length = 0;
    await compareRoutinesWhenDue(partner());
    expect(service.requests).toEqual([]);
    await partner().db.execute(sql`update routine_comparison set compared_real_at = now() - interval '11 minutes'`);
    await compareRoutinesWhenDue(partner());
    expect(service.requestsOf("GET /v1/routines")).toHaveLength(1);
  });

  test("makes progress with each payment of a long comparison", async () => {
    await payOnce();
    await payOnce({ name: "Chairs" });
    await restoreHarbor();
    const progress = vi.fn();
    const [compared] = await Promise.all([compareRoutines(partner()), compareRoutines(partner(), { progress })]);
    expect(compared).toMatchObject({ found: 2 });
    expect(progress.mock.calls.length).toBeGreaterThanOrEqual(3);
  });

  test("is compared for each partner of one process", async () => {
    await Promise.all([compareRoutines(partner()), compareRoutines({ ...partner() })]);
    expect(service.requestsOf("GET /v1/routines")).toHaveLength(2);
  });
});

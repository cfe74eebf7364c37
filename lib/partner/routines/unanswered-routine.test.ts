import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { readComparison } from "../storage/routine-comparison.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness } from "../testing/connected-users.ts";
import { type FakePayments, takePayments } from "../testing/fake-payments.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { announce, followUp, paidAndCut } from "../testing/follow-up.ts";
import { pay as payBusiness } from "../testing/pay.ts";
import { routineRecordOf, transferRecordOf } from "../testing/records.ts";
import { processWebhooks } from "../webhooks/process-webhooks.ts";
import { compareRoutines } from "./compare-routines.ts";
import { parseRoutineListQuery, readRoutineList, readRoutineView } from "./routine-view.ts";

// A payment sent without a response is never forgotten and never paid twice. Payments are counted at the service.

let service: FakeService;
let payments: FakePayments;
let business: ConnectedBusiness;
let fields: Record<string, string>;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  await clearTables("routine_events", "routines", "webhook_receipts", "routine_comparison");
  service.requests.length = 0;
  payments = takePayments(service);
  business = await connectBusiness();
  fields = { idempotency_key: crypto.randomUUID(), source_id: newId() };
});

function pay(changes: Record<string, string> = {}) {
  return payBusiness(business, { ...fields, ...changes });
}

/** Makes a payment whose response is lost. */
async function payWithoutAnswer(): Promise<string> {
  payments.next(paidAndCut);
  const created = await pay();
  if (created.kind !== "created") throw new Error("A lost answer is no problem of the form.");
  return created.routineId;
}

async function processAgain(): Promise<void> {
  await partner().db.execute(
    sql`update webhook_receipts set next_attempt_real_at = now() where next_attempt_real_at is not null`,
  );
  await processWebhooks(partner());
}

async function disconnectBusiness(): Promise<void> {
  const { tokenStore, config } = partner();
  const tokens = await tokenStore.read(config.businessUserId);
  if (tokens) await tokenStore.remove(config.businessUserId, tokens);
}

const otherRefusals: [string, number][] = [
  ["user_not_approved", 403],
  ["business_user_required", 403],
  ["insufficient_funds", 422],
  ["idempotency_key_reused", 422],
  ["validation_failed", 400],
  ["not_found", 404],
  ["invalid_client", 401],
  ["rate_limited", 429],
  ["unavailable", 503],
];

describe.each(otherRefusals)("when sending it again is refused with %s (%i)", (reason, status) => {
  beforeEach(() => {
    service.answer("POST /v1/routines/book/void", () => refused(404, "not_found"));
    service.answer("POST /v1/oauth/token", () => refused(503, "temporarily_unavailable"));
  });

  test("an unanswered payment stays unanswered, and is one payment in the end", async () => {
    const id = await payWithoutAnswer();
    service.answer("GET /v1/routines", () => refused(503, "unavailable"));
    payments.always(() => refused(status, reason));
    for (let round = 0; round < 3; round++) {
      await followUp();
      expect(await readRoutineView(partner(), id)).toMatchObject({ status: "unanswered", isOver: false });
    }
    payments.always(undefined);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({
      status: "active",
      serviceRoutineId: payments.get().id,
      failureReason: null,
    });
    expect(payments.created).toHaveLength(1);
  });

  test("the same form goes to the payment, and offers no other", async () => {
    const id = await payWithoutAnswer();
    payments.always(() => refused(status, reason));
    expect(await pay()).toEqual({ kind: "created", routineId: id });
    expect(await readRoutineView(partner(), id)).toMatchObject({ status: "unanswered" });
    payments.always(undefined);
    expect(await pay()).toEqual({ kind: "created", routineId: id });
    await followUp();
    expect(payments.created).toHaveLength(1);
  });
});

test("is kept while the business isn't connected, and found once it is again", async () => {
  const id = await payWithoutAnswer();
  await disconnectBusiness();
  expect(await pay()).toEqual({ kind: "created", routineId: id });
  await followUp();
  expect(await readRoutineView(partner(), id)).toMatchObject({ status: "unanswered", isOver: false });
  await connectBusiness();
  await followUp();
  expect(await readRoutineView(partner(), id)).toMatchObject({
    status: "active",
    serviceRoutineId: payments.get().id,
  });
  expect(payments.created).toHaveLength(1);
});

describe("while every resend is refused", () => {
  let id: string;
  beforeEach(async () => {
    id = await payWithoutAnswer();
    payments.always(() => refused(403, "user_not_approved"));
    service.answer("POST /v1/routines/book/void", () => refused(404, "not_found"));
  });

  test("is found by its key, if the service can void keys", async () => {
    service.answer("GET /v1/routines", () => refused(503, "unavailable"));
    service.answer("POST /v1/routines/book/void", payments.voidKey);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({
      status: "active",
      serviceRoutineId: payments.get().id,
    });
  });

  test("is found in the service's own list", async () => {
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({
      status: "active",
      serviceRoutineId: payments.get().id,
    });
  });

  test("is found on a later page of that list", async () => {
    const routines = payments.created;
    service.answer("GET /v1/routines", ({ query }) =>
      query.get("starting_after") === "page-1"
        ? { status: 200, body: { routines, next: null } }
        : {
            status: 200,
            body: { routines: [routineRecordOf({ created_at: "2999-01-01T00:00:00.000Z" })], next: "page-1" },
          },
    );
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ serviceRoutineId: payments.get().id });
  });

  test.each(["routine_updated", "transfer_updated"])("is found by %s", async (webhookType) => {
    service.answer("GET /v1/routines", () => refused(503, "unavailable"));
    const routine = payments.get();
    payments.settle(routine);
    await announce(webhookType, webhookType === "routine_updated" ? routine.id : routine.transfer_id);
    await processWebhooks(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({
      status: "completed",
      transferStatus: "processed",
      serviceRoutineId: routine.id,
      isOver: true,
    });
  });

  test("isn't matched to a payment that differs in any way", async () => {
    const [routine] = payments.created;
    const changes = [{ name: "Other" }, { amount: 12.51 }, { source_id: newId() }, { destination_id: newId() }];
    const routines = changes.map((change) => ({ ...routine, id: newId(), transfer_id: newId(), ...change }));
    const before = { ...routine, id: newId(), transfer_id: newId(), created_at: "2020-01-01T00:00:00.000Z" };
    service.answer("GET /v1/routines", () => ({
      status: 200,
      body: { routines: [...routines, before], next: "more" },
    }));
    await followUp();
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ serviceRoutineId: null });
  });
});

describe("a record that lacks some of a payment's details", () => {
  async function readBack(changes: Record<string, unknown>): Promise<void> {
    const routine = payments.get();
    const { id, transfer_id, amount, status } = routine;
    const record = { id, transfer_id, amount, status, ...changes };
    service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: [record], next: null } }));
    service.answer(`GET /v1/routines/${id}`, () => ({ status: 200, body: record }));
    await compareRoutines(partner());
    await announce("routine_updated", id);
    await processWebhooks(partner());
  }

  async function listedStates(): Promise<string[]> {
    const { routines } = await readRoutineList(partner(), parseRoutineListQuery({}));
    return routines.map(({ state }) => state).sort();
  }

  test.each([{}, { name: "Lamps" }])("isn't adopted while it may be an unanswered payment's: %j", async (known) => {
    const id = await payWithoutAnswer();
    const { coveredUntil } = await readComparison(partner().db);
    await readBack(known);
    expect(await listedStates()).toEqual(["unanswered"]);
    // So that a later comparison reads it again.
    expect((await readComparison(partner().db)).coveredUntil).toEqual(coveredUntil);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ serviceRoutineId: payments.get().id });
    expect(await listedStates()).toEqual(["open"]);
  });

  test.each([{}, { amount: undefined }])("is shown on the page of the payment it may be: %j", async (known) => {
    const id = await payWithoutAnswer();
    await readBack(known);
    expect(await readRoutineView(partner(), id)).toMatchObject({ possibleRecordIds: [payments.get().id] });
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "open", possibleRecordIds: [] });
  });

  test.each([{ name: "Other" }, { amount: 12.51 }, { source_id: newId() }, { created_at: "2020-01-01T00:00:00.000Z" }])(
    "is adopted if it can't be an unanswered payment's: %j",
    async (other) => {
      await payWithoutAnswer();
      await readBack(other);
      expect(await listedStates()).toEqual(["open", "unanswered"]);
    },
  );

  test("is adopted if it has an unanswered payment's details, but is older", async () => {
    await payWithoutAnswer();
    await readBack({ ...payments.created[0], created_at: "2020-01-01T00:00:00.000Z" });
    expect(await listedStates()).toEqual(["open", "unanswered"]);
  });
});

test("another form with the same payment is held back until the first is known", async () => {
  const id = await payWithoutAnswer();
  const newKey = { idempotency_key: crypto.randomUUID() };
  expect(await pay(newKey)).toMatchObject({
    kind: "problem",
    form: { isUnknown: true, link: { href: `/routines/${id}` } },
  });
  expect(payments.created).toHaveLength(1);
  // A different purpose makes it a different payment.
  expect(await pay({ ...newKey, name: "More lamps" })).toMatchObject({ kind: "created" });
  await followUp();
  expect(await pay({ idempotency_key: crypto.randomUUID() })).toMatchObject({ kind: "created" });
  expect(payments.created).toHaveLength(3);
});

test("two clicks, the first refused and the second created, are one payment to Harbor", async () => {
  const refusal = Promise.withResolvers<void>();
  payments.next(async () => {
    await refusal.promise;
    return refused(422, "insufficient_funds");
  });
  const first = pay();
  await expect.poll(() => service.requestsOf("POST /v1/routines/book")).toHaveLength(1);
  const second = pay();
  await expect.poll(countLockWaits).toBe(1);
  refusal.resolve();
  expect(await first).toMatchObject({ kind: "problem" });
  const created = await second;
  if (created.kind !== "created") throw new Error("The second click was created.");
  expect(payments.created).toHaveLength(1);
  expect(await readRoutineView(partner(), created.routineId)).toMatchObject({
    serviceRoutineId: payments.get().id,
  });
});

async function countLockWaits(): Promise<unknown> {
  const { rows } = await partner().db.execute(
    sql`select count(*)::int as waits from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows[0]?.["waits"];
}

test("an event waits for its routine while a payment is unanswered, and one about another payment doesn't", async () => {
  payments.next(paidAndCut);
  const sent = await pay();
  const id = sent.kind === "created" ? sent.routineId : "";
  const routine = payments.get();
  // Its resource can't be read for now.
  service.answer(`GET /v1/routines/${routine.id}`, () => refused(503, "unavailable"));
  const foreign = routineRecordOf();
  service.answer(`GET /v1/routines/${foreign.id}`, () => ({ status: 200, body: foreign }));
  await announce("routine_updated", routine.id);
  const ofAnother = await announce("routine_updated", foreign.id);
  // A transfer without a routine id may belong to this payment.
  const unannounced = transferRecordOf();
  service.answer(`GET /v1/transfers/${unannounced.id}`, () => ({ status: 200, body: { id: unannounced.id } }));
  const ofUnannounced = await announce("transfer_updated", unannounced.id);
  for (let attempt = 0; attempt < 8; attempt++) await processAgain();
  expect(await outcomes()).toEqual([null, "applied", null]);

  payments.settle(routine);
  await processAgain();
  expect(await readRoutineView(partner(), id)).toMatchObject({ status: "completed", isOver: true });
  await processAgain();
  expect(await outcomes()).toEqual(["applied", "applied", "not_ours"]);

  async function outcomes() {
    const { rows } = await partner().db.execute(
      sql`select outcome from webhook_receipts order by webhook_id = ${ofUnannounced}, webhook_id = ${ofAnother}`,
    );
    return rows.map(({ outcome }) => outcome);
  }
});

test("a payment that was found but couldn't be read is read later, even after its webhooks have passed", async () => {
  const id = await payWithoutAnswer();
  const routine = payments.get();
  payments.settle(routine);
  service.answer(`GET /v1/transfers/${routine.transfer_id}`, () => refused(503, "unavailable"));
  await followUp();
  expect(await readRoutineView(partner(), id)).toMatchObject({ transferStatus: null, isOver: false });
  payments.settle(payments.created[0] ?? routine);
  await followUp();
  expect(await readRoutineView(partner(), id)).toMatchObject({
    status: "completed",
    transferStatus: "processed",
    isOver: true,
  });
});

test("after two days is no longer sent, but still found by list and webhook", async () => {
  const id = await payWithoutAnswer();
  service.answer("GET /v1/routines", () => refused(503, "unavailable"));
  await partner().db.execute(sql`update routines set created_at = created_at - interval '49 hours'`);
  await followUp();
  await followUp();
  expect(service.requestsOf("POST /v1/routines/book")).toHaveLength(1);
  expect(await readRoutineView(partner(), id)).toMatchObject({
    status: "unanswered",
    failureReason: "no_answer",
    isOver: false,
  });
  service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: payments.created, next: null } }));
  await followUp();
  expect(await readRoutineView(partner(), id)).toMatchObject({ status: "active", failureReason: null });
  expect(payments.created).toHaveLength(1);
});

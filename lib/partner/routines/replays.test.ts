import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { acknowledgeSecondRecord, flagSecondRecord, hasSecondRecord } from "../storage/routine-resolution.ts";
import { beginResend, markUnanswered } from "../storage/routine-sends.ts";
import { findRoutine } from "../storage/routines.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness } from "../testing/connected-users.ts";
import { type FakePayments, takePayments } from "../testing/fake-payments.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { announce, followUp, paidAndCut } from "../testing/follow-up.ts";
import { pay as payBusiness } from "../testing/pay.ts";
import { createPerson } from "../testing/people.ts";
import { processWebhooks } from "../webhooks/process-webhooks.ts";
import { assignRecord } from "./adopt-record.ts";
import { applyReport } from "./apply-report.ts";
import { readRoutineView } from "./routine-view.ts";
import { submitArrived } from "./submit-resolution.ts";

// After a replay has paid twice, replays stay off regardless of the settings; a success is never sent again.

let service: FakeService;
let payments: FakePayments;
let business: ConnectedBusiness;
let keys: { header: string; isKeyHonored: boolean; newId: () => string };

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  await clearTables("routine_events", "routines", "webhook_receipts");
  service.clear();
  keys = { header: "idempotency-key", isKeyHonored: true, newId };
  payments = takePayments(service, keys);
  business = await connectBusiness();
});

const sourceId = newId();
const listsNothing = () => service.answer("GET /v1/routines", () => refused(404, "not_found"));
const lists = () =>
  service.answer("GET /v1/routines", () => ({
    status: 200,
    body: { routines: payments.created.toReversed(), next: null },
  }));

async function payOnce(fields: Record<string, string> = {}): Promise<string> {
  const created = await payBusiness(business, { source_id: sourceId, ...fields });
  if (created.kind !== "created") throw new Error("The payment should be created.");
  return created.routineId;
}

function posts() {
  return service.requestsOf("POST /v1/routines/book").length;
}

/** The response is lost and the service ignores keys, so the retry pays again. */
async function payTwice(): Promise<string> {
  keys.isKeyHonored = false;
  payments.next(paidAndCut);
  const id = await payOnce();
  await followUp();
  return id;
}

describe("a replay that made a second record", () => {
  test("is found in the list right after sending, and no payment is resent from then on", async () => {
    service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: [], next: null } }));
    payments.next((makePayment) => {
      makePayment();
      return "cut";
    });
    keys.isKeyHonored = false;
    const id = await payOnce();
    service.change("POST /v1/routines/book", (answer) => {
      const routines = payments.created.toReversed();
      service.answer("GET /v1/routines", () => ({ status: 200, body: { routines, next: null } }));
      return answer;
    });
    await followUp();
    expect(payments.created).toHaveLength(2);
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "open",
      serviceRoutineId: payments.get(1).id,
      secondServiceRoutineId: payments.get().id,
    });

    await expectNoReplay();
  });

  test("is found by its event if there is no list", async () => {
    listsNothing();
    const id = await payTwice();
    expect(await readRoutineView(partner(), id)).toMatchObject({ secondServiceRoutineId: null });
    await announce("routine_updated", payments.get().id);
    await processWebhooks(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({ secondServiceRoutineId: payments.get().id });
    await expectNoReplay();
  });

  test.each(["before", "after"])(
    "is not adopted as another payment by its next event, %s a person has handled it",
    async (when) => {
      listsNothing();
      const id = await payTwice();
      const first = payments.get();
      await announce("routine_updated", first.id);
      await processWebhooks(partner());
      if (when === "after") await acknowledgeSecondRecord(partner().db, id, business.operator.id);
      payments.settle(first);
      await announce("routine_updated", first.id);
      await announce("transfer_updated", first.transfer_id);
      await processWebhooks(partner());
      const { rows } = await partner().db.execute(sql`select id, created_by from routines`);
      expect(rows).toMatchObject([{ id }]);
    },
  );

  test("is noticed when the answer's id isn't the known one", async () => {
    listsNothing();
    keys.isKeyHonored = false;
    payments.next(paidAndCut, async (makePayment) => {
      const [first] = payments.created;
      // The first payment's event arrives during the replay.
      await announce("money_moved", first?.id ?? "");
      await processWebhooks(partner());
      return { status: 201, body: makePayment() };
    });
    const id = await payOnce();
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({
      serviceRoutineId: payments.get().id,
      secondServiceRoutineId: payments.get(1).id,
    });
    await expectNoReplay();
  });

  test("is recorded once by two workers, and payments are resent once a person has handled it", async () => {
    listsNothing();
    const id = await payTwice();
    const first = payments.get();
    const report = { routine: { kind: "unknown" }, transfer: { kind: "unknown" } } as const;
    const kept = await Promise.all(
      [1, 2].map(() =>
        applyReport(partner(), id, { ...report, serviceRoutineId: first.id, transferId: first.transfer_id }),
      ),
    );
    expect(kept).toEqual(["second_record", "second_record"]);
    expect(await hasSecondRecord(partner().db)).toBe(true);
    await acknowledgeSecondRecord(partner().db, id, business.operator.id);
    expect(await readRoutineView(partner(), id)).toMatchObject({ secondServiceRoutineId: null });
    keys.isKeyHonored = true;
    payments.next(() => "cut");
    const next = await payOnce({ name: "Next" });
    await followUp();
    expect(await readRoutineView(partner(), next)).toMatchObject({ state: "open" });
  });

  describe("once a person has handled it", () => {
    let id: string;
    let second: FakePayments["created"][number];

    beforeEach(async () => {
      listsNothing();
      id = await payTwice();
      const first = payments.get();
      second = first;
      await announce("routine_updated", second.id);
      await processWebhooks(partner());
      await acknowledgeSecondRecord(partner().db, id, business.operator.id);
      keys.isKeyHonored = true;
      payments.next(() => "cut");
    });

    test("isn't taken for the same payment made on purpose, whose request got lost", async () => {
      const repeated = await payOnce();
      lists();
      await followUp();
      expect(payments.created).toHaveLength(3);
      expect(await readRoutineView(partner(), repeated)).toMatchObject({
        state: "open",
        serviceRoutineId: payments.get(2).id,
      });
    });

    test("stays that person's when another confirms it from a stale page", async () => {
      const { id: otherId } = await createPerson({ role: "operator" });
      await acknowledgeSecondRecord(partner().db, id, otherId);
      expect(await findRoutine(partner().db, id)).toMatchObject({ secondSeenBy: business.operator.id });
    });

    test("can't be entered as another payment's record", async () => {
      const repeated = await payOnce();
      const entered = { routine_id: repeated, service_id: second.id };
      expect(await submitArrived(partner(), entered, business.operator)).toMatchObject({
        problems: [{ field: "service_id" }],
        link: { href: `/routines/${id}` },
      });
      expect(await readRoutineView(partner(), repeated)).toMatchObject({ state: "unanswered" });
    });

    test("doesn't answer for that payment's resend, after the service lost the other record", async () => {
      const row = await findRoutine(partner().db, id);
      const [, kept] = payments.created;
      if (!row || !kept) throw new Error("The payment was made twice.");
      payments.forget(kept);
      await partner().db.execute(sql`update routines set state = 'missing'`);
      expect(await beginResend(partner().db, { ...row, state: "missing" })).toBe(true);
      await markUnanswered(partner().db, id, 0);
      payments.next();
      lists();
      await followUp();
      await followUp();
      expect(await readRoutineView(partner(), id)).toMatchObject({
        state: "open",
        serviceRoutineId: payments.get(1).id,
      });
    });
  });

  async function expectNoReplay(): Promise<void> {
    payments.next(() => "cut");
    const otherPayment = await payOnce({ name: "Chairs" });
    const before = posts();
    for (let round = 0; round < 3; round++) await followUp();
    expect(posts()).toBe(before);
    expect(await readRoutineView(partner(), otherPayment)).toMatchObject({ state: "unanswered", isHeld: true });
  }
});

test("the same payment made on purpose from another form isn't a second record", async () => {
  payments.next(paidAndCut);
  const id = await payOnce();
  await followUp();
  // Its event arrives before the response, and again afterwards.
  payments.next(async (makePayment) => {
    const routine = makePayment();
    await announce("routine_updated", payments.get(1).id);
    await processWebhooks(partner());
    return { status: 201, body: routine };
  });
  const repeated = await payOnce();
  await announce("routine_updated", payments.get(1).id);
  await processWebhooks(partner());
  expect(payments.created).toHaveLength(2);
  // Something that read that record before the other form got its response.
  expect(await flagSecondRecord(partner().db, id, payments.get(1).id)).toBe(false);
  for (const routineId of [id, repeated]) {
    expect(await readRoutineView(partner(), routineId)).toMatchObject({ state: "open", secondServiceRoutineId: null });
  }
});

test("answered with its transfer's id alone, a replay isn't flagged as paid twice", async () => {
  listsNothing();
  payments.next(paidAndCut, (makePayment) => {
    const { transfer_id } = makePayment();
    lists();
    return { status: 201, body: { transfer_id } };
  });
  const id = await payOnce();
  await followUp();
  expect(await readRoutineView(partner(), id)).toMatchObject({
    state: "open",
    serviceRoutineId: payments.get().id,
    secondServiceRoutineId: null,
  });
  expect(await flagSecondRecord(partner().db, id, newId(), payments.get().transfer_id)).toBe(false);
});

describe("a success", () => {
  test.each([
    ["that is entirely unreadable", { status: 200, body: { result: "done" } }],
    ["that is no JSON", { status: 202, text: "<!doctype html>" }],
    ["without a body", { status: 204 }],
  ])("%s is never sent again, and found by an event", async (_what, answer) => {
    listsNothing();
    payments.always((makePayment) => {
      makePayment();
      return answer;
    });
    const id = await payOnce();
    for (let round = 0; round < 3; round++) await followUp();
    expect(posts()).toBe(1);
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "unanswered",
      failureReason: "answer_not_understood",
      isHeld: true,
    });
    const routine = payments.get();
    payments.settle(routine);
    await announce("moneyMoved", routine.transfer_id);
    await processWebhooks(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "succeeded",
      failureReason: null,
      isOver: true,
    });
    expect(payments.created).toHaveLength(1);
  });

  test.each(["id", "transfer_id"] as const)("with its %s alone is followed by it", async (name) => {
    listsNothing();
    payments.always((makePayment) => ({
      status: 201,
      body: { [name]: (makePayment() as { id: string; transfer_id: string })[name] },
    }));
    const id = await payOnce();
    const [routine] = payments.created;
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "open",
      serviceRoutineId: routine?.id,
      transferId: routine?.transfer_id,
    });
    if (routine) payments.settle(routine);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded", status: "completed" });
    expect(posts()).toBe(1);
  });
});

test("two workers that find a payment at once store its record once", async () => {
  listsNothing();
  payments.next(paidAndCut);
  const id = await payOnce();
  await partner().db.execute(sql`update routines set state = 'unanswered'`);
  const routine = payments.get();
  const record = { ...routine, amount: { kind: "exact", cents: 1250 } } as const;
  expect(await Promise.all([1, 2, 3, 4].map(() => assignRecord(partner(), record)))).toEqual(
    expect.arrayContaining([id, id, id, id]),
  );
  expect(await readRoutineView(partner(), id)).toMatchObject({
    serviceRoutineId: routine.id,
    secondServiceRoutineId: null,
  });
});

test("a crash between sending and storing ends as one payment", async () => {
  let id = "";
  payments.next(async (makePayment) => {
    const routine = makePayment();
    // The sending process is gone; another one follows up before the response is stored.
    const readId = async () => {
      const { rows } = await partner().db.execute<{ id: string }>(sql`select id from routines`);
      id = rows[0]?.id ?? "";
      return id;
    };
    await expect.poll(readId).not.toBe("");
    await followUp();
    return { status: 201, body: routine };
  });
  await payOnce();
  expect(payments.created).toHaveLength(1);
  expect(await readRoutineView(partner(), id)).toMatchObject({
    serviceRoutineId: payments.get().id,
    secondServiceRoutineId: null,
  });
});

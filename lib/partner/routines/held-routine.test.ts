import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { type ActionResult, parseForm } from "../requests/form-state.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness } from "../testing/connected-users.ts";
import { type FakePayments, takePayments } from "../testing/fake-payments.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { announce, followUp, paidAndCut } from "../testing/follow-up.ts";
import { pay as payBusiness } from "../testing/pay.ts";
import { processWebhooks } from "../webhooks/process-webhooks.ts";
import { parseRoutineListQuery, readRoutineList, readRoutineView } from "./routine-view.ts";
import { arrivedForm, notCreatedForm, submitArrived, submitNotCreated } from "./submit-resolution.ts";

// Where replays may not work, a payment without a response is sent once, and waits for an update or an operator.

process.env["PARTNER_SERVICE_FEATURES"] = "state,pkce,revocation";

let service: FakeService;
let payments: FakePayments;
let business: ConnectedBusiness;
let id: string;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  await clearTables("routine_events", "routines", "webhook_receipts");
  service.clear();
  payments = takePayments(service, { header: "idempotency-key", isKeyHonored: false, newId });
  service.answer("GET /v1/routines", () => refused(404, "not_found"));
  business = await connectBusiness();
  payments.next(paidAndCut);
  id = await pay();
  for (let round = 0; round < 4; round++) await followUp();
});

const sourceId = newId();

async function pay(fields: Record<string, string> = {}): Promise<string> {
  const created = await payBusiness(business, { source_id: sourceId, ...fields });
  if (created.kind !== "created") throw new Error("The payment should be created.");
  return created.routineId;
}

function reportArrived(serviceId: string): Promise<ActionResult> {
  return submitArrived(partner(), { routine_id: id, service_id: serviceId }, business.operator);
}

function reportNotCreated(): Promise<ActionResult> {
  return submitNotCreated(partner(), { routine_id: id, confirmed: "yes" }, business.operator);
}

test("is sent once, and shown as unknown", async () => {
  expect(service.requestsOf("POST /v1/routines/book")).toHaveLength(1);
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "unanswered", isHeld: true, isOver: false });
  expect(await readRoutineView(partner(), id)).toMatchObject({
    amountCents: 1250,
    sourceId,
    destinationId: business.destinationId,
    unansweredSends: 1,
    firstSentAt: expect.any(String),
    isResolved: false,
  });
  const { routines, attention } = await readRoutineList(partner(), parseRoutineListQuery({ status: "attention" }));
  expect([attention, routines.map((row) => row.id)]).toEqual([1, [id]]);
});

test.each(["routine_updated", "money.moved"])("is resolved by %s, whose record fits", async (type) => {
  await announce(type, payments.get().id);
  await processWebhooks(partner());
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "open", serviceRoutineId: payments.get().id });
});

test("is resolved by the list, if there is one", async () => {
  service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: payments.created } }));
  await followUp();
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "open", serviceRoutineId: payments.get().id });
});

test("isn't changed by an event about something else", async () => {
  await announce("moon_updated", newId());
  await processWebhooks(partner());
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "unanswered" });
});

describe("an operator who says that it arrived", () => {
  test.each(["id", "transfer_id"] as const)("gives its %s, which is looked up and followed", async (name) => {
    expect(await reportArrived(payments.get()[name])).toEqual({ redirectTo: `/routines/${id}` });
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "open",
      serviceRoutineId: payments.get().id,
      transferStatus: "pending",
      isResolvedByPerson: true,
    });
    expect(await readRoutineView(partner(), id)).toMatchObject({ isResolved: true });
  });

  test("can't give an id that the service doesn't know", async () => {
    expect(await reportArrived(newId())).toMatchObject({
      problems: [{ field: "service_id", message: expect.stringContaining("has no payment") }],
    });
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "unanswered" });
  });

  test.each([
    ["amount", { amount: 99 }],
    ["purpose", { name: "Chairs" }],
    ["source account", { source_id: "other" }],
    ["receiving account", { destination_id: "other" }],
  ])("is refused a record whose %s is different", async (what, change) => {
    service.answer(`GET /v1/routines/${payments.get().id}`, () => ({
      status: 200,
      body: { ...payments.get(), ...change },
    }));
    expect(await reportArrived(payments.get().id)).toMatchObject({
      problems: [{ field: "service_id", message: expect.stringContaining(`its ${what} is different`) }],
    });
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "unanswered", serviceRoutineId: null });
  });

  test("is believed when the record has only its id", async () => {
    service.answer(`GET /v1/routines/${payments.get().id}`, () => ({ status: 200, body: { id: payments.get().id } }));
    expect(await reportArrived(payments.get().id)).toEqual({ redirectTo: `/routines/${id}` });
    expect(await readRoutineView(partner(), id)).toMatchObject({ serviceRoutineId: payments.get().id });
  });

  test("can't give the id of another payment of Harbor's", async () => {
    const otherPayment = await pay({ name: "Chairs" });
    const { serviceRoutineId } = (await readRoutineView(partner(), otherPayment)) ?? {};
    service.answer(`GET /v1/routines/${serviceRoutineId}`, () => ({ status: 200, body: { id: serviceRoutineId } }));
    expect(await reportArrived(serviceRoutineId ?? "")).toMatchObject({ link: { href: `/routines/${otherPayment}` } });
  });

  test("can act at the same time as another and the event: there is one record", async () => {
    await announce("routine_updated", payments.get().id);
    const [first, second] = await Promise.all([
      reportArrived(payments.get().id),
      reportArrived(payments.get().transfer_id),
      processWebhooks(partner()),
    ]);
    expect([first, second]).toEqual([{ redirectTo: `/routines/${id}` }, { redirectTo: `/routines/${id}` }]);
    expect(await readRoutineView(partner(), id)).toMatchObject({
      serviceRoutineId: payments.get().id,
      secondServiceRoutineId: null,
    });
  });
});

describe("an operator who says that nothing was created", () => {
  test("has to wait while the request may be in flight", async () => {
    await partner().db.execute(sql`update routines set last_sent_real_at = now() - interval '4 minutes'`);
    expect(await reportNotCreated()).toMatchObject({
      problems: [{ field: "form", message: expect.stringContaining("five minutes") }],
    });
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "unanswered" });
  });

  test("ends the wait; if the payment turns up anyway, it's shown", async () => {
    expect(await reportNotCreated()).toEqual({ redirectTo: `/routines/${id}` });
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "refused",
      failureReason: "said_by_operator",
      isOver: true,
      isResolvedByPerson: true,
    });
    payments.next(() => refused(503, "unavailable"));
    const otherPayment = await pay({ name: "Chairs" });
    await announce("routine_updated", payments.get().id);
    await processWebhooks(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "open",
      serviceRoutineId: payments.get().id,
      isOver: false,
    });
    expect(await readRoutineView(partner(), otherPayment)).toMatchObject({ state: "unanswered" });
  });

  test.each<[string, () => "cut" | { status: number }]>([
    ["503", () => ({ status: 503 })],
    ["silence", () => "cut"],
  ])("has to wait while the key's void is answered with %s", async (_what, answer) => {
    service.answer("POST /v1/routines/book/void", answer);
    expect(await reportNotCreated()).toMatchObject({
      problems: [{ field: "form", message: expect.stringContaining("nothing was recorded") }],
    });
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "unanswered", isResolved: false });
  });

  test("changes nothing once it is known", async () => {
    await announce("routine_updated", payments.get().id);
    await processWebhooks(partner());
    expect(await reportNotCreated()).toEqual({ redirectTo: `/routines/${id}` });
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "open" });
  });
});

test.each([
  ["the risk is not confirmed", notCreatedForm, { routine_id: newId() }, "confirmed"],
  ["no id is given", arrivedForm, { routine_id: newId(), service_id: " " }, "service_id"],
  ["the id holds control characters", arrivedForm, { routine_id: newId(), service_id: "a\0" }, "service_id"],
  ["the payment is none of ours", arrivedForm, { routine_id: "../1", service_id: "a" }, "routine_id"],
])("the form is refused when %s", (_what, schema, sent, field) => {
  expect(parseForm(schema, sent)).toMatchObject({ kind: "problem", form: { problems: [{ field }] } });
});

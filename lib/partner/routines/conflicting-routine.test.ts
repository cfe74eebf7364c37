import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { parseForm } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness } from "../testing/connected-users.ts";
import { type FakePayments, takePayments } from "../testing/fake-payments.ts";
import { type FakeService, startFakeService } from "../testing/fake-service.ts";
import { announce, followUp } from "../testing/follow-up.ts";
import { pay as payBusiness } from "../testing/pay.ts";
import { createPerson } from "../testing/people.ts";
import { processWebhooks } from "../webhooks/process-webhooks.ts";
import { compareRoutines } from "./compare-routines.ts";
import { watchRoutine } from "./refresh-routine.ts";
import { type RoutineFilterName, readRoutineList, readRoutineView } from "./routine-view.ts";
import { endForm, submitEnd } from "./submit-resolution.ts";

// A payment with two conflicting final statuses is closed once, by an operator, and never paid again automatically.

let service: FakeService;
let payments: FakePayments;
let business: ConnectedBusiness;
let id: string;
const sourceId = newId();

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  await clearTables("routine_events", "routines", "webhook_receipts");
  service.clear();
  payments = takePayments(service);
  business = await connectBusiness();
  const created = await pay();
  if (created.kind !== "created") throw new Error("The payment should be created.");
  id = created.routineId;
  await letHoursPass();
  await report("processed");
  await report("returned");
});

function pay() {
  return payBusiness(business, { source_id: sourceId });
}

async function report(transferStatus: string): Promise<void> {
  payments.settle(payments.get(), ["completed", transferStatus]);
  await announce("transfer_updated", payments.get().transfer_id);
  await processWebhooks(partner());
}

async function letHoursPass(): Promise<void> {
  await partner().db.execute(sql`update routines set last_sent_real_at = last_sent_real_at - interval '2 hours',
    asked_real_at = asked_real_at - interval '2 hours'`);
}

function confirm(end: "arrived" | "not_arrived", operator: Person = business.operator) {
  return submitEnd(partner(), { routine_id: id, end, confirmed: "yes" }, operator);
}

async function listedIn(filter: RoutineFilterName) {
  const { routines } = await readRoutineList(partner(), { filter, search: "", before: undefined });
  return routines.map((row) => [row.id, row.status]);
}

test("needs attention, and shows both outcomes", async () => {
  expect(await readRoutineView(partner(), id)).toMatchObject({
    state: "conflicting",
    isResolved: false,
    events: expect.arrayContaining([
      expect.objectContaining({ resource: "transfer", status: "processed", meaning: "succeeded" }),
      expect.objectContaining({ resource: "transfer", status: "returned", meaning: "failed" }),
    ]),
  });
});

describe.each([
  ["arrived", "succeeded", "completed"],
  ["not_arrived", "failed", "failed"],
] as const)("confirmed as %s", (end, state, filter) => {
  test("it has that outcome, with who confirmed it and when, and no longer needs attention", async () => {
    expect(await confirm(end)).toEqual({ redirectTo: `/routines/${id}` });
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state,
      status: `confirmed_${end}`,
      isOver: true,
      confirmation: { by: "Marta Quay", at: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect(await readRoutineView(partner(), id)).toMatchObject({ isResolved: true });
    expect(await listedIn(filter)).toEqual([[id, `confirmed_${end}`]]);
    expect(await listedIn("attention")).toEqual([]);
  });

  test("it stays that way and isn't resent, even if the service repeats itself or loses its records", async () => {
    await confirm(end);
    await report("returned");
    await letHoursPass();
    await watchRoutine(partner(), id);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state });
    payments.forget(payments.get());
    await letHoursPass();
    await watchRoutine(partner(), id);
    await compareRoutines(partner());
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state, isOver: true });
    expect(service.requestsOf("POST /v1/routines/book")).toHaveLength(1);
  });
});

test.each([
  ["arrived", "processed", "succeeded"],
  ["arrived", "failed", "conflicting"],
  ["not_arrived", "cancelled", "failed"],
  ["not_arrived", "processed", "conflicting"],
] as const)("confirmed as %s, then reported again as %s: it is %s", async (end, status, state) => {
  await confirm(end);
  await report(status);
  expect(await readRoutineView(partner(), id)).toMatchObject({ state });
});

test("after a report that contradicts it, another person can confirm it again", async () => {
  await confirm("arrived");
  await report("failed");
  expect(await readRoutineView(partner(), id)).toMatchObject({ isResolved: false });
  await confirm("not_arrived", await createPerson({ role: "operator", first_name: "Olive" }));
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "failed", confirmation: { by: "Olive Quay" } });
});

describe("the same payment from another form", () => {
  const held = (message: string) => ({
    kind: "problem",
    form: {
      problems: [{ field: "form", message: expect.stringContaining(message) }],
      link: { href: `/routines/${id}` },
    },
  });

  test("is blocked until an operator confirms the outcome", async () => {
    expect(await pay()).toMatchObject(held("reported different results"));
    expect(payments.created).toHaveLength(1);
  });

  test("is held back once the payment was confirmed as arrived", async () => {
    await confirm("arrived");
    expect(await pay()).toMatchObject(held("confirmed that exactly this payment arrived"));
    expect(payments.created).toHaveLength(1);
  });

  test("is made once the payment was confirmed as not arrived, and held back when a report contradicts that", async () => {
    await confirm("not_arrived");
    expect(await pay()).toMatchObject({ kind: "created" });
    expect(payments.created).toHaveLength(2);
    await report("processed");
    expect(await pay()).toMatchObject(held("reported different results"));
  });
});

test("records only one answer when two operators disagree at once", async () => {
  const otherPerson = await createPerson({ role: "operator", first_name: "Olive" });
  await Promise.allSettled([confirm("arrived"), confirm("not_arrived", otherPerson)]);
  const view = await readRoutineView(partner(), id);
  expect([
    ["succeeded", "Marta Quay"],
    ["failed", "Olive Quay"],
  ]).toContainEqual([view?.state, view?.confirmation?.by]);
  await confirm(view?.state === "failed" ? "arrived" : "not_arrived");
  expect(await readRoutineView(partner(), id)).toEqual(view);
});

test.each(["submitting", "unanswered", "open", "missing", "succeeded", "failed", "cancelled", "refused"])(
  "a payment that is %s has no outcome to confirm",
  async (state) => {
    await partner().db.execute(sql`update routines set state = ${state}`);
    expect(await confirm("arrived")).toEqual({ redirectTo: `/routines/${id}` });
    expect(await readRoutineView(partner(), id)).toMatchObject({ state, confirmation: null });
  },
);

test.each([
  ["no end is chosen", { confirmed: "yes" }, "end"],
  ["the end is none of the two", { end: "refunded", confirmed: "yes" }, "end"],
  ["the service was not asked", { end: "arrived" }, "confirmed"],
  ["the payment is none of ours", { routine_id: "../1", end: "arrived", confirmed: "yes" }, "routine_id"],
])("the form is refused when %s", (_what, sent, field) => {
  expect(parseForm(endForm, { routine_id: newId(), ...sent })).toMatchObject({
    kind: "problem",
    form: { problems: [{ field }] },
  });
});

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { type FormState, parseForm } from "../requests/form-state.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness } from "../testing/connected-users.ts";
import { type FakeAnswer, type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { pay as payBusiness } from "../testing/pay.ts";
import { routineRecordOf, transferRecordOf } from "../testing/records.ts";
import { compareRoutines } from "./compare-routines.ts";
import { paymentFieldsWithin } from "./payment-fields.ts";
import { formOfProblem, type PaymentProblem } from "./payment-problem.ts";
import { resolveRoutines } from "./resolve-routines.ts";
import { readRoutineView } from "./routine-view.ts";
import { createRoutine, submitPayment } from "./submit-payment.ts";

let service: FakeService;
let business: ConnectedBusiness;
let routine: ReturnType<typeof routineRecordOf>;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  business = await connectBusiness();
  routine = routineRecordOf();
  service.requests.length = 0;
  service.answer("POST /v1/routines/book", () => ({ status: 201, body: routine }));
  service.answer(`GET /v1/routines/${routine.id}`, () => ({ status: 200, body: routine }));
  service.answer(`GET /v1/transfers/${routine.transfer_id}`, () => ({
    status: 200,
    body: transferRecordOf({ id: routine.transfer_id, routine_id: routine.id }),
  }));
});

function posts() {
  return service.requestsOf("POST /v1/routines/book");
}

function pay(fields: Record<string, string> = {}) {
  return payBusiness(business, fields);
}

async function payAndView(fields: Record<string, string> = {}) {
  const created = await pay(fields);
  if (created.kind !== "created") throw new Error("The payment should be created.");
  return readRoutineView(partner(), created.routineId);
}

async function letTimePass(): Promise<void> {
  await partner().db.execute(
    sql`update routines set next_try_at = harbor_now(), last_sent_real_at = now() - interval '10 minutes'`,
  );
}

test("sends what was entered to the seller's account, with a key and a trace, and stores the answer", async () => {
  const sourceId = newId();
  const idempotencyKey = crypto.randomUUID();
  expect(await payAndView({ source_id: sourceId, idempotency_key: idempotencyKey, amount: "$1,200.05" })).toMatchObject(
    {
      serviceRoutineId: routine.id,
      transferId: routine.transfer_id,
      status: "active",
      transferStatus: "pending",
      sellerName: "Marta Quay",
      isOver: false,
    },
  );
  expect(posts()[0]?.body).toEqual({
    name: "Lamps",
    amount: 1200.05,
    source_id: sourceId,
    destination_id: business.destinationId,
  });
  expect(posts()[0]?.headers).toMatchObject({
    "idempotency-key": idempotencyKey,
    traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
  });
});

// One form makes one payment, however often it's submitted.
test("creates one routine for a form sent five times at once, with one key", async () => {
  const idempotencyKey = crypto.randomUUID();
  const sourceId = newId();
  const created = await Promise.all(
    Array.from({ length: 5 }, () => pay({ idempotency_key: idempotencyKey, source_id: sourceId })),
  );
  expect(new Set(created.map((each) => JSON.stringify(each)))).toHaveLength(1);
  expect(new Set(posts().map(({ headers }) => headers["idempotency-key"]))).toEqual(new Set([idempotencyKey]));
});

test("doesn't resend a form whose answer is known", async () => {
  const fields = { idempotency_key: crypto.randomUUID(), source_id: newId() };
  await pay(fields);
  await pay(fields);
  expect(posts()).toHaveLength(1);
});

test("refuses the same form with other details", async () => {
  const fields = { idempotency_key: crypto.randomUUID(), source_id: newId() };
  await pay(fields);
  expect(await pay({ ...fields, amount: "13.00" })).toMatchObject({
    kind: "problem",
    form: { problems: [{ field: "form" }], link: { label: "View that payment" } },
  });
  expect(posts()).toHaveLength(1);
});

describe.each<[string, FakeAnswer]>([
  ["a 503 of something in between", refused(503, "unavailable")],
  ["a key that is still being worked on", refused(409, "idempotency_in_progress")],
])("after %s", (_what, answer) => {
  test("waits, asks again with the same key, and finds the result", async () => {
    const idempotencyKey = crypto.randomUUID();
    service.answer("POST /v1/routines/book", () => answer);
    const waiting = await payAndView({ idempotency_key: idempotencyKey });
    expect(waiting).toMatchObject({ status: "unanswered", isOver: false });

    routine = { ...routine, status: "completed" };
    service.answer("POST /v1/routines/book", () => ({ status: 201, body: { ...routine, status: "active" } }));
    service.answer(`GET /v1/transfers/${routine.transfer_id}`, () => ({
      status: 200,
      body: transferRecordOf({ id: routine.transfer_id, status: "processed" }),
    }));
    await letTimePass();
    await resolveRoutines(partner());
    expect(posts().map(({ headers }) => headers["idempotency-key"])).toEqual([idempotencyKey, idempotencyKey]);
    expect(posts()[1]?.body).toEqual(posts()[0]?.body);
    expect(await readRoutineView(partner(), waiting?.id ?? "")).toMatchObject({
      status: "completed",
      transferStatus: "processed",
      isOver: true,
    });
  });

  test("reports a refusal in the end, and voids the key", async () => {
    service.answer("GET /v1/routines", () => ({ status: 200, body: { routines: [], next: null } }));
    service.answer("POST /v1/routines/book/void", () => ({ status: 200, body: { voided: true, routine: null } }));
    service.answer("POST /v1/routines/book", () => answer);
    const waiting = await payAndView();
    service.answer("POST /v1/routines/book", () => refused(422, "insufficient_funds"));
    await letTimePass();
    await resolveRoutines(partner());
    expect(service.requestsOf("POST /v1/routines/book/void")[0]?.headers).toMatchObject({
      "idempotency-key": posts()[0]?.headers["idempotency-key"],
    });
    expect(await readRoutineView(partner(), waiting?.id ?? "")).toMatchObject({
      status: "refused",
      failureReason: "insufficient_funds",
      isOver: true,
    });
  });
});

test("skips a routine that was sent a moment ago", async () => {
  service.answer("POST /v1/routines/book", () => refused(503, "unavailable"));
  await pay();
  await resolveRoutines(partner());
  expect(posts()).toHaveLength(1);
});

test("leases a payment to its sender, then to its checker, for longer than their requests can take", async () => {
  const routes = { send: "POST /v1/routines/book", check: "GET /v1/routines" };
  let release = () => {};
  const hold = (route: string) => {
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.answer(route, async () => {
      await released;
      return refused(503, "unavailable");
    });
  };
  await clearTables("routine_events", "routines");
  const secondsLeased = async () => {
    const { rows } = await partner().db.execute(
      sql`select extract(epoch from next_try_at - harbor_now())::float8 as seconds from routines where next_try_at is not null`,
    );
    expect(rows).toHaveLength(1);
    return rows[0]?.["seconds"];
  };
  hold(routes.send);
  const paid = pay();
  await expect.poll(() => service.requestsOf(routes.send)).toHaveLength(1);
  expect(await secondsLeased()).toBeGreaterThan(30);
  service.requests.length = 0;
  await resolveRoutines(partner());
  expect(service.requests).toEqual([]);
  release();
  await paid;

  hold(routes.check);
  await letTimePass();
  const checked = resolveRoutines(partner());
  await expect.poll(() => service.requestsOf(routes.check)).toHaveLength(1);
  expect(await secondsLeased()).toBeGreaterThan(30);
  await resolveRoutines(partner());
  expect(service.requests).toHaveLength(1);
  release();
  await checked;
  service.answer(routes.check, () => ({ status: 404 }));
});

describe("when the request never leaves Harbor", () => {
  beforeEach(() => compareRoutines(partner()));

  async function endAccessToken(): Promise<void> {
    const { tokenStore, config } = partner();
    const tokens = await tokenStore.read(config.businessUserId);
    if (tokens) await tokenStore.remove(config.businessUserId, { accessToken: tokens.accessToken });
  }

  const noConnection = { kind: "unreachable" as const, cause: "no_connection" as const, description: "ECONNREFUSED" };
  const partnerWithoutConnection = () => ({
    ...partner(),
    client: { ...partner().client, createBookRoutine: async () => noConnection },
  });

  test.each<[string, () => FakeAnswer | "cut"]>([
    ["doesn't answer", () => "cut"],
    ["is unavailable", () => refused(503, "temporarily_unavailable")],
    ["is unavailable, says a 400", () => ({ status: 400, body: { error: "temporarily_unavailable" } })],
    ["can't be understood", () => ({ status: 200, body: {} })],
  ])("because the token endpoint %s, no payment is kept, and the same form can be sent again", async (_how, answer) => {
    service.answer("POST /v1/oauth/token", answer);
    await endAccessToken();
    const fields = { idempotency_key: crypto.randomUUID(), source_id: newId() };
    expect(await pay(fields)).toEqual({
      kind: "problem",
      form: { problems: [{ field: "form", message: expect.stringContaining("isn't available right now") }] },
    });
    expect(posts()).toHaveLength(0);
    await connectBusiness();
    expect(await pay({ ...fields, amount: "13.00" })).toMatchObject({ kind: "created" });
  });

  test("again after a 401, because the token endpoint is unavailable, no payment is kept", async () => {
    service.answer("POST /v1/routines/book", () => refused(401, "token_expired"));
    service.answer("POST /v1/oauth/token", () => refused(503, "temporarily_unavailable"));
    expect(await pay()).toMatchObject({ kind: "problem", form: { problems: [{ field: "form" }] } });
    expect(posts()).toHaveLength(1);
  });

  test("for lack of a connection, no payment is kept", async () => {
    const { operator, sellerUserId } = business;
    const payment = { idempotency_key: crypto.randomUUID(), source_id: newId(), amount: 1250, name: "Lamps" };
    const created = await createRoutine(
      partnerWithoutConnection(),
      { ...payment, seller_user_id: sellerUserId },
      operator,
    );
    expect(created).toEqual({ kind: "problem", problem: { kind: "not_sent" } });
  });

  test("an earlier request may still have made the payment", async () => {
    service.answer("POST /v1/routines/book", () => "cut");
    const waiting = await payAndView();
    await letTimePass();
    await resolveRoutines(partnerWithoutConnection());
    expect(await readRoutineView(partner(), waiting?.id ?? "")).toMatchObject({ status: "unanswered" });
  });
});

test("never resends after two days, when the key might be forgotten", async () => {
  service.answer("POST /v1/routines/book", () => refused(503, "unavailable"));
  const waiting = await payAndView();
  await partner().db.execute(sql`update routines set created_at = created_at - interval '49 hours'`);
  await letTimePass();
  await resolveRoutines(partner());
  expect(posts()).toHaveLength(1);
  expect(await readRoutineView(partner(), waiting?.id ?? "")).toMatchObject({ status: "unanswered", isOver: false });
});

test.each([
  ["insufficient_funds", 422, "amount"],
  ["instrument_not_usable", 422, "seller_user_id"],
  ["not_found", 404, "seller_user_id"],
])(
  "shows %s next to the field, stores no routine, and accepts the corrected form with the same key",
  async (...row) => {
    const [reason, status, field] = row;
    service.answer("POST /v1/routines/book", () => refused(status, reason));
    const fields = { idempotency_key: crypto.randomUUID(), source_id: newId() };
    expect(await pay(fields)).toEqual({
      kind: "problem",
      form: { problems: [{ field, message: expect.any(String) }] },
    });
    service.answer("POST /v1/routines/book", () => ({ status: 201, body: routine }));
    expect(await payAndView({ ...fields, amount: "1.00" })).toMatchObject({ amountCents: 100 });
  },
);

test("shows the service's field problems at their fields, in plain words", async () => {
  const errors = [{ field: "amount", message: "At most 1,000,000.00." }];
  service.answer("POST /v1/routines/book", () => refused(400, "validation_failed", errors));
  expect(await pay()).toEqual({
    kind: "problem",
    form: { problems: [{ field: "amount", message: "The service didn't accept this answer. Please check it." }] },
  });
});

const sentence = (text: string) => expect.stringContaining(text);
const link = (href: string) => ({ href, label: expect.any(String) });

test.each<[string, PaymentProblem, FormState]>([
  [
    "invalid fields, the destination's shown at the seller",
    refusal(400, "validation_failed", ["destination_id", "name", "seller_user_id", "odd"]),
    {
      problems: ["seller_user_id", "name"].map((field) => ({ field, message: sentence("didn't accept this answer") })),
    },
  ],
  [
    "only fields that aren't on the form",
    refusal(400, "validation_failed", ["odd"]),
    { problems: [{ field: "form", message: sentence("no money was sent") }] },
  ],
  [
    "a business that isn't allowed to pay",
    refusal(403, "user_not_approved"),
    { problems: [{ field: "form", message: sentence("isn't approved") }] },
  ],
  ["a busy service", refusal(429, "rate_limited"), { problems: [{ field: "form", message: sentence("is busy") }] }],
  [
    "another reason",
    refusal(422, "odd_reason"),
    { problems: [{ field: "form", message: sentence("no money was sent") }] },
  ],
  [
    "an ended connection",
    { kind: "reauthorization_required" },
    { problems: [{ field: "form", message: sentence("isn't connected") }], link: link("/business") },
  ],
  [
    "an identical unanswered payment",
    { kind: "twin", routineId: "r-1", state: "unanswered" },
    {
      ...{ problems: [{ field: "form", message: sentence("still finding out") }], link: link("/routines/r-1") },
      ...{ title: "We don't know yet whether this was paid", isUnknown: true },
    },
  ],
  [
    "an identical payment with conflicting outcomes",
    { kind: "twin", routineId: "r-1", state: "conflicting" },
    {
      ...{
        problems: [{ field: "form", message: sentence("reported different results") }],
        link: link("/routines/r-1"),
      },
      ...{ title: "This payment may already have arrived", isUnknown: true },
    },
  ],
  [
    "an identical payment with a confirmed outcome",
    { kind: "twin", routineId: "r-1", state: "succeeded" },
    {
      ...{ problems: [{ field: "form", message: sentence("confirmed that exactly") }], link: link("/routines/r-1") },
      title: "This payment already arrived",
    },
  ],
])("says why nothing was paid, and what to do, after %s", (_what, problem, form) => {
  expect(formOfProblem(problem)).toEqual(form);
});

function refusal(status: number, reason: string, fields: string[] = []): PaymentProblem {
  const errors = fields.map((field) => ({ field, message: "For developers." }));
  return { kind: "refused", status, reason, errors } as PaymentProblem;
}

test("links to the same form if the business isn't connected, with what was filled in, and sends nothing", async () => {
  const { tokenStore, config } = partner();
  const tokens = await tokenStore.read(config.businessUserId);
  if (tokens) await tokenStore.remove(config.businessUserId, tokens);
  const key = crypto.randomUUID();
  const payment = { idempotency_key: key, source_id: "a-1", amount: 120_05, name: "Lamps & shades" };
  const { operator, sellerUserId } = business;
  expect(await submitPayment(partner(), { ...payment, seller_user_id: sellerUserId }, operator)).toMatchObject({
    link: {
      href: `/routines/new?source=a-1&seller=${sellerUserId}&amount=120.05&name=Lamps+%26+shades&form=${key}`,
      label: "Connect the business",
    },
  });
  expect(posts()).toHaveLength(0);
});

test.each([
  ["amount", "0"],
  ["amount", "0.00"],
  ["amount", "-5"],
  ["amount", "1.005"],
  ["amount", "1e5"],
  ["amount", "12,34"],
  ["amount", ""],
  ["name", " "],
  ["name", "x".repeat(101)],
  ["seller_user_id", ""],
  ["seller_user_id", newId()],
  ["source_id", ""],
  ["source_id", "a\0"],
  ["seller_user_id", "a\0"],
])("refuses %s %j next to its field and sends nothing", async (field, value) => {
  expect(await pay({ [field]: value })).toEqual({
    kind: "problem",
    form: { problems: [{ field, message: expect.any(String) }] },
  });
  expect(posts()).toHaveLength(0);
});

test.each([
  ["1,000,000.01", "One payment can be at most $1,000,000.00."],
  ["999,999,999,999,999,999.00", "One payment can be at most $1,000,000.00."],
  ["120.51", "This account has $120.50 available."],
])("refuses an amount of %s before the review", (amount, message) => {
  const problems = reviewed({ amount }, [{ id: "one", availableCents: 12_050 }]);
  expect(problems).toEqual([{ field: "amount", message }]);
});

test("accepts everything available, and the largest possible payment", () => {
  expect(reviewed({ amount: "120.50" }, [{ id: "one", availableCents: 12_050 }])).toEqual([]);
  expect(reviewed({ amount: "1,000,000.00" }, [])).toEqual([]);
});

/** The review's problems, before anything is sent. */
function reviewed({ amount }: { amount: string }, accounts: Parameters<typeof paymentFieldsWithin>[0]) {
  const filled = { idempotency_key: crypto.randomUUID(), source_id: "one", seller_user_id: newId(), name: "Lamps" };
  const parsed = parseForm(paymentFieldsWithin(accounts), { ...filled, amount });
  return parsed.kind === "ok" ? [] : parsed.form.problems;
}

test("shows nothing for an unknown id", async () => {
  expect(await readRoutineView(partner(), newId())).toBeUndefined();
  expect(await readRoutineView(partner(), "../1")).toBeUndefined();
});

test.each([
  ["suspended", sql`status = 'suspended'`],
  ["rejected", sql`status = 'rejected'`],
  ["unlinked", sql`person_id = null`],
])(
  "a seller who became %s while the form was open isn't paid, and the form still goes to an earlier payment",
  async (_state, change) => {
    const sent = { source_id: newId(), idempotency_key: crypto.randomUUID() };
    const first = await pay(sent);
    await partner().db.execute(sql`update service_users set ${change} where id = ${business.sellerUserId}`);
    service.requests.length = 0;
    expect(await pay({ name: "Chairs" })).toMatchObject({
      kind: "problem",
      form: { problems: [{ field: "seller_user_id" }] },
    });
    expect(posts()).toHaveLength(0);
    expect(await pay(sent)).toEqual(first);
  },
);

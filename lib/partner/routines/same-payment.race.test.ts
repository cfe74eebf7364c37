import { spawn } from "node:child_process";
import { once } from "node:events";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness } from "../testing/connected-users.ts";
import { type FakePayments, takePayments } from "../testing/fake-payments.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { followUp, paidAndCut } from "../testing/follow-up.ts";
import { pay as payBusiness } from "../testing/pay.ts";
import { resolveRoutines } from "./resolve-routines.ts";
import { readRoutineView } from "./routine-view.ts";
import { formKeyOf } from "./submit-payment.ts";
import { submitNotCreated } from "./submit-resolution.ts";

// While a payment's response is outstanding, it counts as possibly paid for every other form. It counts as not made only once
// it can't be made any more. Payments are counted at the service.

let service: FakeService;
let payments: FakePayments;
let business: ConnectedBusiness;
let sourceId: string;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  await clearTables("routine_events", "routines", "webhook_receipts");
  service.clear();
  payments = takePayments(service);
  business = await connectBusiness();
  sourceId = newId();
});

/** By default the same payment, from another form. */
function pay(fields: Record<string, string> = {}) {
  return payBusiness(business, { source_id: sourceId, ...fields });
}

function posts() {
  return service.requestsOf("POST /v1/routines/book").length;
}

async function onlyRoutine(): Promise<{ id: string; state: string }> {
  const { rows } = await partner().db.execute<{ id: string; state: string }>(sql`select id, state from routines`);
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`One routine was expected, and there are ${rows.length}.`);
  return row;
}

async function expectHeldBack(): Promise<void> {
  const { id } = await onlyRoutine();
  expect(await pay()).toMatchObject({ kind: "problem", form: { isUnknown: true, link: { href: `/routines/${id}` } } });
}

/** The next payment is made at once, but answered only when `answer` is called. */
function hold(): { answer: () => void } {
  const held = Promise.withResolvers<void>();
  payments.next(async (makePayment) => {
    const body = makePayment();
    await held.promise;
    return { status: 201, body };
  });
  return { answer: held.resolve };
}

/** Blocks the recording of every form until `release` is called, so that all continue at once. */
async function holdNoting() {
  const connection = await partner().pool.connect();
  await connection.query("begin; lock table routines in share row exclusive mode");
  return {
    countWaiting: async () => {
      const { rows } = await partner().db.execute<{ waiting: number }>(
        sql`select count(*)::int as waiting from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows[0]?.waiting;
    },
    release: async () => {
      await connection.query("commit");
      connection.release();
    },
  };
}

describe("the same payment from another form isn't sent", () => {
  test("while the first waits for its answer", async () => {
    const held = hold();
    const first = pay();
    await expect.poll(posts).toBe(1);
    await expectHeldBack();
    held.answer();
    expect(await first).toEqual({ kind: "created", routineId: (await onlyRoutine()).id });
    expect(payments.created).toHaveLength(1);
  });

  test("after the process that sent the first was killed, and the worker finds the first", async () => {
    const held = hold();
    const sender = spawn(
      process.execPath,
      ["lib/partner/testing/process-that-pays.ts", JSON.stringify(business), JSON.stringify({ source_id: sourceId })],
      { env: process.env, stdio: "ignore" },
    );
    await expect.poll(posts).toBe(1);
    sender.kill("SIGKILL");
    await once(sender, "exit");
    held.answer();
    expect(await onlyRoutine()).toMatchObject({ state: "submitting" });
    await expectHeldBack();

    const { id } = await onlyRoutine();
    await resolveRoutines(partner());
    expect(await onlyRoutine()).toMatchObject({ state: "submitting" });
    await partner().db.execute(sql`update routines set next_try_at = next_try_at - interval '60 seconds'`);
    await resolveRoutines(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "open",
      serviceRoutineId: payments.get().id,
    });
    expect(payments.created).toHaveLength(1);
  });

  test("when eight forms arrive at once: one is sent, and the others go to its payment", async () => {
    for (let round = 1; round <= 6; round++) {
      const name = `Lamps ${round}`;
      const held = hold();
      const kinds: string[] = [];
      const noting = await holdNoting();
      const forms = Array.from({ length: 8 }, () => pay({ name }).then(({ kind }) => kinds.push(kind)));
      await expect.poll(noting.countWaiting).toBe(8);
      await noting.release();
      await expect.poll(() => kinds).toEqual(Array.from({ length: 7 }, () => "problem"));
      held.answer();
      await Promise.all(forms);
      expect(kinds.at(-1)).toBe("created");
      expect(payments.created).toHaveLength(round);
    }
    // A different payment doesn't wait for them.
    expect(await pay({ name: "Chairs" })).toMatchObject({ kind: "created" });
  });

  test("once the first's outcome is known, it is another payment and is sent", async () => {
    expect(await pay()).toMatchObject({ kind: "created" });
    expect(await pay()).toMatchObject({ kind: "created" });
    expect(payments.created).toHaveLength(2);
  });
});

describe("a request stuck in a frozen socket while Harbor gives up", () => {
  let thaw: () => unknown;
  let id: string;
  beforeEach(async () => {
    payments.next((makePayment) => {
      thaw = makePayment;
      return "cut";
    });
    const created = await pay();
    id = created.kind === "created" ? created.routineId : "";
    payments.always(() => refused(422, "insufficient_funds"));
  });

  test("can't pay after Harbor has reported that the payment wasn't made", async () => {
    await partner().db.execute(sql`update routines set next_try_at = harbor_now()`);
    await resolveRoutines(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "refused",
      failureReason: "insufficient_funds",
      isOver: true,
    });
    payments.always(undefined);
    expect(await pay()).toMatchObject({ kind: "created" });
    expect(thaw).toThrow("voided");
    expect(payments.created).toHaveLength(1);
  });

  test("that paid before its key could be voided is the payment", async () => {
    service.answer("GET /v1/routines", () => refused(503, "unavailable"));
    const voidKey = payments.voidKey;
    service.answer("POST /v1/routines/book/void", (request) => {
      thaw();
      return voidKey(request);
    });
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "open",
      serviceRoutineId: payments.get().id,
    });
    expect(payments.created).toHaveLength(1);
  });

  test.each([
    ["404", () => refused(404, "not_found")],
    ["405", () => ({ status: 405 })],
    ["501", () => ({ status: 501 })],
    ["a success in no shape that we know", () => ({ status: 200, body: { ok: true } })],
    ["a routine that it does not show", () => ({ status: 200, body: { voided: false, routine: null } })],
  ])("of a service that answers the void with %s, waits indefinitely for an operator", async (_what, answer) => {
    service.answer("POST /v1/routines/book/void", answer);
    for (let round = 0; round < 4; round++) await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "unanswered",
      isHeld: true,
      failureReason: "not_listed",
    });
    // Nothing more is sent, and the same payment from another form is still blocked.
    const before = posts();
    await followUp();
    expect(posts()).toBe(before);
    await expectHeldBack();
    thaw();
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "open",
      serviceRoutineId: payments.get().id,
    });
    expect(payments.created).toHaveLength(1);
  });

  test.each<[string, () => "cut" | { status: number }]>([
    ["silence", () => "cut"],
    ["503", () => ({ status: 503 })],
    ["409", () => ({ status: 409 })],
    ["429", () => ({ status: 429 })],
  ])("after the void returned %s is retried, and nothing is concluded", async (_what, answer) => {
    service.answer("POST /v1/routines/book/void", answer);
    for (let round = 0; round < 3; round++) await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "unanswered", isHeld: false });
    service.answer("POST /v1/routines/book/void", payments.voidKey);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "refused" });
  });

  test("to a service without a complete list is resent as long as its key is valid", async () => {
    service.answer("POST /v1/routines/book/void", () => refused(404, "not_found"));
    service.answer("GET /v1/routines", () => refused(503, "unavailable"));
    for (let round = 0; round < 3; round++) await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "unanswered", isHeld: false });
    payments.always(undefined);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "open" });
    expect(payments.created).toHaveLength(1);
  });
});

test("a refused payment's form goes to it, and accepts no other payment under the voided key", async () => {
  const idempotency_key = crypto.randomUUID();
  payments.next(() => "cut");
  await pay({ idempotency_key });
  payments.always(() => refused(422, "insufficient_funds"));
  await followUp();
  payments.always(undefined);
  const { id } = await onlyRoutine();
  expect(await pay({ idempotency_key })).toEqual({ kind: "created", routineId: id });
  expect(await pay({ idempotency_key, amount: "1.00" })).toMatchObject({
    kind: "problem",
    form: { link: { href: `/routines/${id}` } },
  });
  expect(payments.created).toHaveLength(0);
});

test("a form keeps its key across reloads until its payment is known", async () => {
  const key = crypto.randomUUID();
  expect(await formKeyOf(partner(), key)).toBe(key);
  payments.next(() => refused(422, "insufficient_funds"));
  await pay({ idempotency_key: key });
  expect(await formKeyOf(partner(), key)).toBe(key);
  const held = hold();
  const paying = pay({ idempotency_key: key });
  await expect.poll(posts).toBe(2);
  expect(await formKeyOf(partner(), key)).toBe(key);
  held.answer();
  await paying;
  expect(await formKeyOf(partner(), key)).toBeUndefined();
});

test.each([undefined, "", "x", ["a", "b"]])("a form without a key, as %j, needs one", async (typed) => {
  expect(await formKeyOf(partner(), typed)).toBeUndefined();
});

test("an operator who says that nothing was created isn't believed if the key says otherwise", async () => {
  service.answer("GET /v1/routines", () => refused(404, "not_found"));
  payments.next(paidAndCut);
  await pay();
  const { id } = await onlyRoutine();
  await partner().db.execute(
    sql`update routines set failure_reason = 'no_answer', last_sent_real_at = now() - interval '6 minutes'`,
  );
  const confirmation = submitNotCreated(partner(), { routine_id: id, confirmed: "yes" }, business.operator);
  expect(await confirmation).toEqual({ redirectTo: `/routines/${id}` });
  expect(await readRoutineView(partner(), id)).toMatchObject({
    state: "open",
    serviceRoutineId: payments.get().id,
  });
});

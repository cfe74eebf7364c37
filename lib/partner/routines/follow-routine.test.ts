import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { partner } from "../process-partner.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness } from "../testing/connected-users.ts";
import { type FakePayments, takePayments } from "../testing/fake-payments.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { announce, followUp } from "../testing/follow-up.ts";
import { pay } from "../testing/pay.ts";
import { processWebhooks } from "../webhooks/process-webhooks.ts";
import { applyRoutineUpdate, watchRoutine } from "./refresh-routine.ts";
import { resolveRoutines } from "./resolve-routines.ts";
import { isFilterable, parseRoutineListQuery, readRoutineList, readRoutineView } from "./routine-view.ts";

// A payment is tracked to its final status without webhooks, regardless of the service's status words.

let service: FakeService;
let payments: FakePayments;
let business: ConnectedBusiness;
let id: string;
let routine: FakePayments["created"][number];

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  await clearTables("routine_events", "routines", "webhook_receipts");
  service.clear();
  payments = takePayments(service);
  business = await connectBusiness();
  const created = await pay(business, { source_id: newId() });
  if (created.kind !== "created") throw new Error("The payment should be created.");
  id = created.routineId;
  routine = payments.get();
});

function reads(): number {
  return service.requestsOf(`GET /v1/transfers/${routine.transfer_id}`).length;
}

async function letWatchersPoll(): Promise<void> {
  await partner().db.execute(sql`update routines set asked_real_at = now() - interval '6 seconds'`);
}

test("checking many payments makes progress with each claim", async () => {
  for (let more = 0; more < 10; more++) await pay(business, { source_id: newId() });
  await partner().db.execute(sql`update routines set next_try_at = harbor_now()`);
  const progress = vi.fn();
  await resolveRoutines(partner(), undefined, progress);
  expect(progress).toHaveBeenCalledTimes(2);
});

describe("an open payment page", () => {
  test("shows the service's current state without a webhook", async () => {
    payments.settle(routine);
    await letWatchersPoll();
    await watchRoutine(partner(), id);
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "succeeded",
      transferStatus: "processed",
      isOver: true,
    });
  });

  test("reads at most every three seconds for any number of viewers, and not after its final status", async () => {
    await letWatchersPoll();
    const before = reads();
    await Promise.all(Array.from({ length: 8 }, () => watchRoutine(partner(), id)));
    await watchRoutine(partner(), id);
    expect(reads()).toBe(before + 1);
    payments.settle(routine);
    await letWatchersPoll();
    await watchRoutine(partner(), id);
    await letWatchersPoll();
    await watchRoutine(partner(), id);
    expect(reads()).toBe(before + 2);
  });

  test("waits at most two seconds for a service that doesn't answer", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.answer(`GET /v1/transfers/${routine.transfer_id}`, async () => {
      await held;
      return refused(503, "unavailable");
    });
    await letWatchersPoll();
    const startedAt = performance.now();
    await watchRoutine(partner(), id);
    expect(performance.now() - startedAt).toBeLessThan(8000);
    release();
  });
});

test("rereads an open payment automatically, with backoff", async () => {
  const pauses: number[] = [];
  for (let poll = 0; poll < 8; poll++) {
    await followUp();
    const { rows } = await partner().db.execute<{ seconds: number }>(
      sql`select round(extract(epoch from next_try_at - harbor_now()) / 60) as seconds from routines`,
    );
    pauses.push(Number(rows[0]?.seconds));
  }
  expect(pauses).toEqual([1, 5, 15, 60, 240, 1440, 1440, 1440]);
  payments.settle(routine);
  await followUp();
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded", isOver: true });
  const before = reads();
  await followUp();
  expect(reads()).toBe(before);
});

test("rereads a payment six more times after its transfer ends, because its own status can lag", async () => {
  payments.settle(routine, ["active", "processed"]);
  await followUp();
  const before = reads();
  for (let poll = 0; poll < 6; poll++) await followUp();
  expect(reads()).toBe(before + 6);
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded", status: "active", isOver: false });
  for (let poll = 0; poll < 3; poll++) await followUp();
  expect(reads()).toBe(before + 7);
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded", isOver: true });
});

test("a payment that Harbor fails to check is retried later, and doesn't block others", async () => {
  const { client, ...rest } = partner();
  const readRoutine: typeof client.readRoutine = (token, serviceId, ...more) => {
    if (serviceId === routine.id) throw new Error("a fault of Harbor's");
    return client.readRoutine(token, serviceId, ...more);
  };
  const others = Array.from({ length: 11 }, (_, at) => `Lamp ${at}`);
  for (const name of others) await pay(business, { name });
  for (const payment of payments.created) payments.settle(payment);
  await partner().db.execute(sql`update routines set next_try_at = harbor_now() - interval '1 second'`);
  await partner().db.execute(sql`update routines set next_try_at = next_try_at - interval '1 hour' where id = ${id}`);
  await resolveRoutines({ ...rest, client: { ...client, readRoutine } });
  const { rows } = await partner().db.execute(
    sql`select state, count(*)::int as count from routines group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { state: "open", count: 1 },
    { state: "succeeded", count: 11 },
  ]);
  await followUp();
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded" });
});

test("a stopping worker checks no further batch", async () => {
  const stopping = new AbortController();
  for (let count = 0; count < 11; count++) await pay(business, { name: `Lamp ${count}` });
  await partner().db.execute(sql`update routines set next_try_at = harbor_now() - interval '1 second'`);
  const resolved = resolveRoutines(partner(), stopping.signal);
  stopping.abort();
  await resolved;
  const { rows } = await partner().db.execute(sql`select from routines where next_try_at <= harbor_now()`);
  expect(rows).toHaveLength(2);
});

test("doesn't reread a payment that was just read", async () => {
  const before = reads();
  await resolveRoutines(partner());
  expect(reads()).toBe(before);
});

test.each(["routine.updated", "TRANSFER_UPDATED", "", "account_updated"])(
  "any event %j about a known routine or transfer has it read again",
  async (type) => {
    payments.settle(routine);
    await announce(type, type === "TRANSFER_UPDATED" ? routine.transfer_id : routine.id);
    await processWebhooks(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded" });
  },
);

test("an event about an unknown payment is retried while the service denies the business to read it", async () => {
  const serviceRoutineId = newId();
  service.answer(`GET /v1/routines/${serviceRoutineId}`, () => refused(403, "user_not_approved"));
  const update = applyRoutineUpdate(partner(), { serviceRoutineId }, { traceId: newTraceId() });
  expect(await update).toBe("try_later");
});

test.each([400, 403, 405, 410, 422, 500])(
  "an event of another name about a transfer has it read again, even if reading it as a routine is refused with %i",
  async (status) => {
    service.answer(`GET /v1/routines/${routine.transfer_id}`, () => ({ status }));
    payments.settle(routine);
    await announce("transfer.updated", routine.transfer_id);
    await processWebhooks(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded" });
  },
);

test("an event that names one payment's routine and another's transfer has both read again", async () => {
  const other = await pay(business, { name: "Chairs" });
  if (other.kind !== "created") throw new Error("The payment should be created.");
  await partner().db.execute(
    sql`update routines set service_routine_id = ${routine.transfer_id} where id = ${other.routineId}`,
  );
  service.answer(`GET /v1/routines/${routine.transfer_id}`, () => ({ status: 200, body: { status: "completed" } }));
  payments.settle(routine);
  await announce("payment.updated", routine.transfer_id);
  await processWebhooks(partner());
  expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded" });
  expect(await readRoutineView(partner(), other.routineId)).toMatchObject({ status: "completed" });
});

describe("statuses that only this service has", () => {
  function respondWith(status: string | undefined, transferStatus: string | undefined): void {
    service.answer(`GET /v1/routines/${routine.id}`, () => ({ status: 200, body: { ...routine, status } }));
    const transfer = { id: routine.transfer_id, routine_id: routine.id, status: transferStatus };
    service.answer(`GET /v1/transfers/${routine.transfer_id}`, () => ({ status: 200, body: transfer }));
  }

  test("count as open unless they're a known final status, and are shown and stored as written", async () => {
    respondWith("in_flight", "Sent to network");
    await followUp();
    const view = await readRoutineView(partner(), id);
    expect(view).toMatchObject({
      state: "open",
      status: "in_flight",
      transferStatus: "Sent to network",
      isOver: false,
    });
    expect(view?.events.map(({ status }) => status)).toEqual(expect.arrayContaining(["in_flight", "Sent to network"]));
  });

  test.each([
    ["done", "SETTLED", "succeeded", "completed"],
    ["Rejected", "returned", "failed", "failed"],
    ["canceled", "voided", "cancelled", "failed"],
  ])("%s and %s end it as %s, and it is listed so", async (status, transferStatus, state, filter) => {
    respondWith(status, transferStatus);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state, status, transferStatus, isOver: true });
    const found = async (name: string) =>
      (await readRoutineList(partner(), parseRoutineListQuery({ status: name }))).routines.map((row) => row.id);
    expect(await found(filter)).toEqual([id]);
    expect(await found("active")).toEqual([]);
  });

  test("don't reopen it when they're older and arrive late", async () => {
    respondWith("completed", "processed");
    await followUp();
    respondWith("active", "pending");
    await announce("routine_updated", routine.id);
    await processWebhooks(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "succeeded",
      status: "completed",
      transferStatus: "processed",
    });
  });

  test.each([
    ["processed", "returned"],
    ["cancelled", "processed"],
    ["failed", "cancelled"],
  ])("that end it as %s and then as %s need an operator, regardless of later reports", async (first, second) => {
    respondWith("active", first);
    await followUp();
    respondWith("completed", second);
    for (let round = 0; round < 2; round++) {
      await announce("transfer_updated", routine.transfer_id);
      await processWebhooks(partner());
      const view = await readRoutineView(partner(), id);
      expect(view).toMatchObject({ state: "conflicting", status: "conflicting" });
      expect(view?.events.map(({ status }) => status)).toEqual(expect.arrayContaining([first, second]));
      respondWith("completed", first);
    }
    const { routines } = await readRoutineList(partner(), parseRoutineListQuery({ status: "attention" }));
    expect(routines.map((row) => row.id)).toEqual([id]);
  });

  test("of an open transfer outweigh a routine's final status", async () => {
    respondWith("completed", "pending");
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "open", isOver: false });
  });

  test("of a transfer win over the routine's when the answer had only the routine's id", async () => {
    payments.next((makePayment) => {
      const routine = makePayment();
      payments.settle(routine, ["completed", "failed"]);
      return { status: 201, body: { id: routine.id } };
    });
    const created = await pay(business, { source_id: newId(), name: "Chairs" });
    if (created.kind !== "created") throw new Error("The payment should be created.");
    expect(await readRoutineView(partner(), created.routineId)).toMatchObject({
      state: "failed",
      transferStatus: "failed",
    });
  });

  test("missing from a transfer come from the routine, and none is invented", async () => {
    respondWith("completed", undefined);
    await partner().db.execute(sql`update routines set transfer_status = null`);
    await followUp();
    expect(await readRoutineView(partner(), id)).toMatchObject({
      state: "succeeded",
      transferStatus: null,
      isOver: true,
    });
  });

  test("of an ended payment stay while one of its records can't be read", async () => {
    respondWith("completed", undefined);
    await partner().db.execute(sql`update routines set transfer_status = null`);
    await followUp();
    service.answer(`GET /v1/transfers/${routine.transfer_id}`, () => refused(503, "unavailable"));
    await announce("routine_updated", routine.id);
    await processWebhooks(partner());
    expect(await readRoutineView(partner(), id)).toMatchObject({ state: "succeeded", isOver: true });
  });
});

test("a change found by a late reread resets the backoff", async () => {
  for (let poll = 0; poll < 6; poll++) await followUp();
  payments.settle(routine, ["active", "processing"]);
  await followUp();
  const { rows } = await partner().db.execute<{ seconds: number }>(
    sql`select round(extract(epoch from next_try_at - harbor_now()) / 60) as seconds from routines`,
  );
  expect(Number(rows[0]?.seconds)).toBe(1);
});

test("a single payment offers no filters, unless one is applied", async () => {
  const isFilterableBy = (search: string) => isFilterable(partner(), parseRoutineListQuery({ search }));
  expect([await isFilterableBy(""), await isFilterableBy("Marta")]).toEqual([false, true]);
});

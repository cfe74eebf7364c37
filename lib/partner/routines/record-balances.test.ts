import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { type ConnectedBusiness, connectBusiness } from "../testing/connected-users.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { pay } from "../testing/pay.ts";
import { accountRecordOf, routineRecordOf, transferRecordOf } from "../testing/records.ts";
import { refreshRoutine } from "./refresh-routine.ts";
import { readRoutineView } from "./routine-view.ts";

let service: FakeService;
let business: ConnectedBusiness;
const sourceId = newId();
const routine = routineRecordOf({ status: "active" });
let transferStatus: "pending" | "processed";

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  service.clear();
  business = await connectBusiness();
  serveNewPayment();
});

function serveNewPayment(): void {
  transferStatus = "pending";
  const record = { ...routine, id: newId(), transfer_id: newId() };
  service.answer("POST /v1/routines/book", () => ({ status: 201, body: record }));
  service.answer(`GET /v1/routines/${record.id}`, () => ({ status: 200, body: record }));
  service.answer(`GET /v1/transfers/${record.transfer_id}`, () => ({
    status: 200,
    body: transferRecordOf({ id: record.transfer_id, routine_id: record.id, status: transferStatus }),
  }));
}

/** Both balances at the service, before and after the payment. */
function serveBalances(): void {
  service.answer("GET /v1/accounts", () => {
    const isPaid = transferStatus === "processed";
    const source = accountRecordOf({ id: sourceId, current_balance: isPaid ? 887.5 : 900 });
    const destination = accountRecordOf({ id: business.destinationId, current_balance: isPaid ? 12.5 : 0 });
    return { status: 200, body: { accounts: [source, destination] } };
  });
}

async function payAndSettle({ beforeSettling = () => {} } = {}) {
  const created = await pay(business, { source_id: sourceId });
  if (created.kind !== "created") throw new Error("The payment should be created.");
  beforeSettling();
  transferStatus = "processed";
  await refreshRoutine(partner(), created.routineId, { traceId: routine.id });
  return readRoutineView(partner(), created.routineId);
}

// Read during this test, in UTC.
const isRecent = (at: string) => at.endsWith("Z") && Math.abs(Date.now() - Date.parse(at)) < 30 * 60_000;
const reading = (cents: number) => ({ reported: { kind: "exact", cents }, at: expect.toSatisfy(isRecent) });

test("stores the balances of both accounts before the payment and after its end", async () => {
  serveBalances();
  let view: Awaited<ReturnType<typeof payAndSettle>>;
  const payAnew = async () => {
    serveNewPayment();
    view = await payAndSettle();
    return view?.balances;
  };
  // One payment is enough, because late balances aren't stored, and other tests share the machine.
  await expect.poll(payAnew).toEqual({
    ...{ source_before: reading(90_000), source_after: reading(88_750) },
    ...{ destination_before: reading(0), destination_after: reading(1250) },
  });
  // Later payments don't change this one's balances.
  service.answer("GET /v1/accounts", () => {
    const accounts = [sourceId, business.destinationId].map((id) => accountRecordOf({ id, current_balance: 1 }));
    return { status: 200, body: { accounts } };
  });
  await refreshRoutine(partner(), view?.id ?? "", { traceId: routine.id });
  expect((await readRoutineView(partner(), view?.id ?? ""))?.balances).toEqual(view?.balances);
});

test("an unknown balance isn't stored, and the payment is made anyway", async () => {
  service.answer("GET /v1/accounts", () => refused(503, "unavailable"));
  const view = await payAndSettle();
  expect(view).toMatchObject({ balances: {}, transferStatus: "processed" });
});

test("a late balance isn't stored, and the payment doesn't wait for it", async () => {
  const payAnew = async () => {
    serveNewPayment();
    const answered = Promise.withResolvers<void>();
    service.answer("GET /v1/accounts", async () => {
      await answered.promise;
      return { status: 200, body: { accounts: [accountRecordOf({ id: sourceId, current_balance: 900 })] } };
    });
    const view = await payAndSettle({ beforeSettling: answered.resolve });
    expect(view).toMatchObject({ transferStatus: "processed" });
    return Object.keys(view?.balances ?? {});
  };
  await expect.poll(payAnew).toEqual(["source_after"]);
});

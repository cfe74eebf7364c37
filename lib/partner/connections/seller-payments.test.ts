import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TransferRecord } from "../../contract/money.ts";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { connectSeller } from "../testing/connected-users.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { accountRecordOf, transferRecordOf } from "../testing/records.ts";
import { readSellerPayment, readSellerPayments } from "./seller-payments.ts";

let service: FakeService;
let id: string;
const wallet = accountRecordOf();

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  service.clear();
  ({ id } = await connectSeller({ status: "approved" }));
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 1, accounts: [wallet] } }));
});

/** The service lists these, newest first. */
function list(transfers: TransferRecord[]): void {
  service.answer("GET /v1/transfers", ({ query }) => {
    const limit = Number(query.get("limit"));
    const start = transfers.findIndex((transfer) => transfer.id === query.get("starting_after")) + 1;
    const page = transfers.slice(start, start + limit);
    const next = start + limit < transfers.length ? page.at(-1)?.id : null;
    return { status: 200, body: { transfers: page, next } };
  });
  service.answer("GET /v1/transfers/{id}", ({ path }) => {
    const found = transfers.find((transfer) => path.endsWith(transfer.id));
    return found ? { status: 200, body: found } : refused(404, "not_found");
  });
}

function paid(fields: Partial<TransferRecord> = {}): TransferRecord {
  return transferRecordOf({ destination_id: wallet.id, status: "processed", ...fields });
}

function returnOf(transferId: string): TransferRecord {
  return transferRecordOf({
    source_id: wallet.id,
    status: "processed",
    routine_name: `Return of ${transferId}: account_closed`,
  });
}

test("all payments are read page by page, each once", async () => {
  const transfers = Array.from({ length: 45 }, () => paid());
  list(transfers);
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = await readSellerPayments(partner(), id, after);
    if (page.kind !== "ok") throw new Error("The list is readable.");
    seen.push(...page.payments.map((payment) => payment.id));
    after = page.next;
  } while (after);
  expect(seen).toEqual(transfers.map((transfer) => transfer.id));
});

test.each([
  ["refuses", () => refused(503, "unavailable")],
  ["has no such list", () => ({ status: 404 })],
  ["cuts the connection", () => "cut" as const],
])("payments are unavailable, and not none, when the service %s", async (_what, answer) => {
  service.answer("GET /v1/transfers", answer);
  expect(await readSellerPayments(partner(), id, undefined)).toEqual({ kind: "unavailable" });
});

test("only the first page has weeks, and none while a payment is unreadable", async () => {
  const transfers = Array.from({ length: 21 }, () => paid({ amount: 2, created_at: new Date().toISOString() }));
  list(transfers);
  const first = await readSellerPayments(partner(), id, undefined);
  if (first.kind !== "ok") throw new Error("The list is readable.");
  expect(first.weeks?.at(-1)?.cents).toBe(4200);
  expect(await readSellerPayments(partner(), id, first.next)).toMatchObject({ payments: [{ id: transfers[20]?.id }] });
  expect(await readSellerPayments(partner(), id, first.next)).not.toHaveProperty("weeks");
  service.answer("GET /v1/transfers", () => ({ status: 200, body: { transfers: [transfers[0], {}], next: null } }));
  expect(await readSellerPayments(partner(), id, undefined)).toMatchObject({ kind: "ok", weeks: undefined });
});

test("a missing connection is distinguished from an outage", async () => {
  await partner().tokens.disconnect(id);
  expect(await readSellerPayments(partner(), id, undefined)).toEqual({ kind: "reauthorization_required" });
  expect(await readSellerPayment(partner(), id, newId())).toEqual({ kind: "reauthorization_required" });
});

describe("a return", () => {
  test("is recognized, and matched to its payment across pages of the list", async () => {
    const first = paid();
    const taken = returnOf(first.id);
    list([...Array.from({ length: 130 }, () => paid()), taken, ...Array.from({ length: 130 }, () => paid()), first]);
    const found = await readSellerPayment(partner(), id, first.id);
    expect(found).toMatchObject({
      kind: "ok",
      payment: { id: first.id, meaning: "succeeded" },
      return: { id: taken.id, returned: { transferId: first.id, reason: "account_closed" } },
    });
  });

  test.each([
    ["the list can't be read", () => service.answer("GET /v1/transfers", () => refused(503, "unavailable"))],
    ["more than 1,000 payments came between", () => {}],
    [
      "a newer transfer can't be read",
      (first: TransferRecord) =>
        service.answer("GET /v1/transfers", ({ query }) => {
          const newer = paid();
          const isLast = query.has("starting_after");
          const page = isLast ? { transfers: [first], next: null } : { transfers: [{}, newer], next: newer.id };
          return { status: 200, body: page };
        }),
    ],
  ])("is unknown, and not none, when %s", async (_what, fail) => {
    const first = paid();
    list([...Array.from({ length: 1000 }, () => paid()), first]);
    fail(first);
    expect(await readSellerPayment(partner(), id, first.id)).toMatchObject({ kind: "ok", return: "unknown" });
  });

  test("looks like a payment while the seller's accounts are unknown", async () => {
    service.answer("GET /v1/accounts", () => refused(503, "unavailable"));
    const taken = returnOf(newId());
    list([paid()]);
    expect(await readSellerPayments(partner(), id, undefined)).toMatchObject({ kind: "ok" });
    list([paid(), taken]);
    expect(await readSellerPayments(partner(), id, undefined)).toEqual({ kind: "unavailable" });
    expect(await readSellerPayment(partner(), id, taken.id)).toEqual({ kind: "unavailable" });
  });

  test("isn't searched for beyond its payment", async () => {
    const first = paid();
    list([first, ...Array.from({ length: 130 }, () => paid())]);
    expect(await readSellerPayment(partner(), id, first.id)).toMatchObject({ kind: "ok", return: undefined });
    expect(service.requestsOf("GET /v1/transfers")).toHaveLength(1);
  });

  test("isn't a payment to the seller with a similar name", async () => {
    const named = paid({ routine_name: `Return of ${newId()}: nothing` });
    list([named]);
    expect(await readSellerPayments(partner(), id, undefined)).toMatchObject({ payments: [{ returned: undefined }] });
  });
});

test.each(["..", ".", newId()])("a payment %j that the seller doesn't have is absent", async (unknownId) => {
  list([paid()]);
  service.answer("GET /v1", () => ({ status: 200, body: paid() }));
  service.answer("GET /v1/", () => ({ status: 200, body: paid() }));
  expect(await readSellerPayment(partner(), id, unknownId)).toBeUndefined();
});

test("a payment that can't be read right now is unavailable, not absent", async () => {
  service.answer("GET /v1/transfers/{id}", () => refused(503, "unavailable"));
  expect(await readSellerPayment(partner(), id, newId())).toEqual({ kind: "unavailable" });
});

import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newTraceId } from "../../kit/trace.ts";
import { partner } from "../process-partner.ts";
import { withinAction } from "../requests/current-action.ts";
import { connectSeller } from "../testing/connected-users.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { accountRecordOf, transferRecordOf } from "../testing/records.ts";
import { readStatement, writeStatement } from "./statement.ts";

let service: FakeService;
let id: string;
const wallet = accountRecordOf();
const received = { destination_id: wallet.id, status: "processed", created_at: "2026-01-31T09:30:00.000Z" };

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  service.clear();
  ({ id } = await connectSeller({ status: "approved" }));
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 1, accounts: [wallet] } }));
});

test("a statement has every page of payments, oldest first, with returns subtracted", async () => {
  const payments = Array.from({ length: 150 }, (_, at) =>
    transferRecordOf({ ...received, routine_name: at === 149 ? "=cmd()" : `Sale ${at}`, amount: 1250.5 }),
  );
  const back = transferRecordOf({
    source_id: wallet.id,
    status: "processed",
    amount: 5,
    routine_name: "Return of x: closed",
  });
  const all = [back, ...payments];
  service.answer("GET /v1/transfers", ({ query }) => {
    const start = all.findIndex((transfer) => transfer.id === query.get("starting_after")) + 1;
    const page = all.slice(start, start + 100);
    return { status: 200, body: { transfers: page, next: start + 100 < all.length ? page.at(-1)?.id : null } };
  });
  const answer = await writeStatement(partner(), id);
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="payments.csv"');
  const rows = parse(await answer.text(), { bom: true });
  expect(rows).toHaveLength(152);
  expect(rows[0]).toEqual(["Date (UTC)", "For", "Status", "Amount (USD)", "Payment ID"]);
  expect(rows[1]).toEqual(["2026-01-31 09:30:00", "'=cmd()", "Arrived", "1250.5", payments.at(-1)?.id]);
  expect(rows.at(-1)?.slice(1, 4)).toEqual(["Return of x: closed", "Returned", "-5"]);
  expect(await readStatement(partner(), id)).toMatchObject({
    arrivedCents: 150 * 125_050,
    returnedCents: 500,
    isComplete: true,
  });
});

test("a statement is in the reader's language", async () => {
  service.answer("GET /v1/transfers", () => ({
    status: 200,
    body: { transfers: [transferRecordOf(received)], next: null },
  }));
  const locale = "es-US" as const;
  const action = { traceId: newTraceId(), cause: "GET /dashboard/payments/statement/file", locale };
  const answer = await withinAction(action, () => writeStatement(partner(), id));
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="pagos.csv"');
  const [titles, row] = parse(await answer.text(), { bom: true });
  expect(titles).toEqual(["Fecha (UTC)", "Concepto", "Estado", "Monto (USD)", "ID del pago"]);
  expect(row?.[2]).toBe("Recibido");
});

test("totals include only payments that arrived, and note unknown amounts", async () => {
  const transfers = [
    transferRecordOf({ ...received, amount: 3 }),
    transferRecordOf({ ...received, amount: 40, status: "failed" }),
    { ...transferRecordOf(received), amount: "twelve" },
  ];
  service.answer("GET /v1/transfers", () => ({ status: 200, body: { transfers, next: null } }));
  const totals = { arrivedCents: 300, returnedCents: 0, isComplete: false };
  expect(await readStatement(partner(), id)).toMatchObject(totals);
});

test("a rounded amount is in the totals, and isn't unknown", async () => {
  const transfers = [transferRecordOf({ ...received, amount: 10.005 })];
  service.answer("GET /v1/transfers", () => ({ status: 200, body: { transfers, next: null } }));
  expect(await readStatement(partner(), id)).toMatchObject({ arrivedCents: 1001, isComplete: true });
});

test("a list that can't be read to its end yields no statement", async () => {
  const first = transferRecordOf(received);
  service.answer("GET /v1/transfers", ({ query }) =>
    query.has("starting_after")
      ? refused(503, "unavailable")
      : { status: 200, body: { transfers: [first], next: first.id } },
  );
  const answer = await writeStatement(partner(), id);
  expect(answer.status).toBe(503);
  expect(answer.headers.get("content-disposition")).toBeNull();
});

test("a statement of years has all 6,000 payments", async () => {
  const all = Array.from({ length: 6000 }, () => transferRecordOf({ ...received, amount: 1 }));
  const positions = new Map(all.map((transfer, at) => [transfer.id, at]));
  service.answer("GET /v1/transfers", ({ query }) => {
    const start = (positions.get(query.get("starting_after") ?? "") ?? -1) + 1;
    const page = all.slice(start, start + 100);
    return { status: 200, body: { transfers: page, next: start + 100 < all.length ? page.at(-1)?.id : null } };
  });
  expect(await readStatement(partner(), id)).toMatchObject({ kind: "ok", arrivedCents: 600_000 });
});

test("a list whose pages repeat yields no statement", async () => {
  const first = transferRecordOf(received);
  service.answer("GET /v1/transfers", () => ({ status: 200, body: { transfers: [first], next: first.id } }));
  expect(await readStatement(partner(), id)).toEqual({ kind: "unavailable" });
  expect(service.requestsOf("GET /v1/transfers")).toHaveLength(2);
});

test("a full page without a cursor isn't treated as a complete statement", async () => {
  const payments = Array.from({ length: 100 }, (_, at) =>
    transferRecordOf({ ...received, routine_name: `Sale ${at}` }),
  );
  service.answer("GET /v1/transfers", () => ({ status: 200, body: { transfers: payments, next_cursor: "abc" } }));
  expect(await readStatement(partner(), id)).toEqual({ kind: "unavailable" });
});

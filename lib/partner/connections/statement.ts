import { stringify } from "csv-stringify/sync";
import { centsOf } from "#client";
import type { Partner } from "../partner.ts";
import { words } from "../words/words.ts";
import {
  listOwnIds,
  listTransfers,
  type NoPayments,
  noPayments,
  type SellerPayment,
  sellerPaymentsOf,
} from "./seller-payments.ts";

/** All of a seller's payments, oldest first, with totals received and returned. `isComplete`: no amount is unknown. */
export type Statement = {
  kind: "ok";
  readAt: string;
  payments: SellerPayment[];
  arrivedCents: number;
  returnedCents: number;
  isComplete: boolean;
};

const pageSize = 100;
// Ten payments a day for more than ten years.
const pagesMax = 500;

/** Unavailable if the service's list can't be read to its end: a statement with gaps would be wrong. */
export async function readStatement(partner: Partner, serviceUserId: string): Promise<Statement | NoPayments> {
  const readAt = new Date().toISOString();
  const ownIds = await listOwnIds(partner, serviceUserId);
  const newestFirst: SellerPayment[] = [];
  const cursors = new Set<string>();
  let startingAfter: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const listed = await listTransfers(partner, serviceUserId, { limit: pageSize, startingAfter });
    if (listed.kind !== "ok") return noPayments(listed);
    const payments = sellerPaymentsOf(partner, listed.body.items, ownIds);
    if (!payments || !listed.body.isWhole) return { kind: "unavailable" };
    newestFirst.push(...payments);
    startingAfter = listed.body.next;
    if (!startingAfter && !listed.body.isLast) return { kind: "unavailable" };
    if (!startingAfter) return { kind: "ok", readAt, ...totalsOf(newestFirst), payments: newestFirst.toReversed() };
    if (cursors.has(startingAfter)) return { kind: "unavailable" };
    cursors.add(startingAfter);
  }
  return { kind: "unavailable" };
}

function totalsOf(
  payments: readonly SellerPayment[],
): Pick<Statement, "arrivedCents" | "returnedCents" | "isComplete"> {
  const totals = { arrivedCents: 0, returnedCents: 0, isComplete: true };
  for (const { meaning, amount, returned } of payments) {
    if (meaning !== "succeeded") continue;
    totals[returned ? "returnedCents" : "arrivedCents"] += centsOf(amount) ?? 0;
    totals.isComplete &&= amount.kind !== "unknown";
  }
  return totals;
}

/** The statement as a CSV file with negative amounts for returns; 503 if unavailable. */
export async function writeStatement(partner: Partner, serviceUserId: string): Promise<Response> {
  const t = words("payments");
  const statement = await readStatement(partner, serviceUserId);
  if (statement.kind !== "ok") {
    const headers = { "content-type": "text/plain; charset=utf-8" };
    return new Response(`${t("statement.unavailable")}\n`, { status: 503, headers });
  }
  const titles = [
    t("statement.date"),
    t("columns.what"),
    t("columns.status"),
    t("statement.amountInDollars"),
    t("page.id"),
  ];
  // A spreadsheet would run a payment name that looks like a formula.
  const csv = stringify([titles, ...statement.payments.map(rowOf)], { bom: true, escape_formulas: true });
  return new Response(csv, {
    headers: {
      "cache-control": "no-store",
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${t("statement.file")}"`,
    },
  });
}

function rowOf({ id, created_at = "", routine_name, meaning, amount, returned }: SellerPayment): (string | number)[] {
  const cents = centsOf(amount);
  // A number, because the formula escape would turn a negative amount into text.
  const dollars = cents === undefined ? "" : (returned ? -cents : cents) / 100;
  // The format that spreadsheets parse.
  const date = created_at.slice(0, 19).replace("T", " ");
  const outcome = words("payments")(`outcomes.${returned ? "returned" : meaning}`);
  return [date, routine_name ?? "", outcome, dollars, id];
}

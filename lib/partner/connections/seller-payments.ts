import type { Transfer } from "#client";
import type { Partner } from "../partner.ts";
import { type Meaning, meaningOf } from "../statuses.ts";
import { type PaidWeek, paidByWeek } from "./paid-by-week.ts";

/** A transfer as its seller sees it. `returned`: it sends back the money of this earlier transfer (Decision D24). */
export type SellerPayment = Transfer & {
  meaning: Meaning;
  returned?: { transferId: string; reason: string } | undefined;
};

/** Why payments can't be shown; `reauthorization_required`: Harbor has no live token. */
export type NoPayments = { kind: "reauthorization_required" } | { kind: "unavailable" };

/** One page, newest first; `next` continues after it. `weeks`: on the first page, if known. `readAt` is ISO 8601. */
export type SellerPayments =
  | {
      kind: "ok";
      readAt: string;
      payments: SellerPayment[];
      next?: string | undefined;
      weeks?: PaidWeek[] | undefined;
    }
  | NoPayments;

/** `return`: the later transfer that sent the money back; "unknown" if Harbor couldn't find out. */
export type SellerPaymentView =
  | { kind: "ok"; readAt: string; payment: SellerPayment; return?: SellerPayment | "unknown" | undefined }
  | NoPayments;

const pageSize = 20;
const batchSize = 100;
const batchesMax = 10;

export async function readSellerPayments(
  partner: Partner,
  serviceUserId: string,
  after: string | undefined,
): Promise<SellerPayments> {
  const now = new Date();
  // The first page is cut from a larger batch, which also covers the weekly totals.
  const limit = after ? pageSize : batchSize;
  const [transfers, ownIds] = await Promise.all([
    listTransfers(partner, serviceUserId, { limit, startingAfter: after }),
    listOwnIds(partner, serviceUserId),
  ]);
  if (transfers.kind !== "ok") return noPayments(transfers);
  const { items, next, isWhole, isLast } = transfers.body;
  const read = sellerPaymentsOf(partner, items, ownIds);
  if (!read) return { kind: "unavailable" };
  const readAt = now.toISOString();
  if (after) return { kind: "ok", readAt, payments: read, next };
  const payments = read.slice(0, pageSize);
  return {
    kind: "ok",
    readAt,
    payments,
    next: read.length > pageSize ? payments.at(-1)?.id : next,
    weeks: isWhole ? paidByWeek(read, { isAll: isLast, now }) : undefined,
  };
}

export function noPayments({ kind }: { kind: string }): NoPayments {
  return { kind: kind === "reauthorization_required" ? kind : "unavailable" };
}

/** Undefined if the seller has no such payment. */
export async function readSellerPayment(
  partner: Partner,
  serviceUserId: string,
  id: string,
): Promise<SellerPaymentView | undefined> {
  // As path segments, these would change the URL.
  if (id === "." || id === "..") return undefined;
  const readAt = new Date().toISOString();
  const [transfer, ownIds] = await Promise.all([
    partner.tokens.call(serviceUserId, (token) => partner.client.readTransfer(token, id)),
    listOwnIds(partner, serviceUserId),
  ]);
  if (transfer.kind === "refused" && [400, 404, 410].includes(transfer.status)) return undefined;
  if (transfer.kind !== "ok") return noPayments(transfer);
  const [payment] = sellerPaymentsOf(partner, [transfer.body], ownIds) ?? [];
  if (!payment) return { kind: "unavailable" };
  if (payment.meaning !== "succeeded" || payment.returned) return { kind: "ok", readAt, payment };
  return { kind: "ok", readAt, payment, return: await findReturn(partner, serviceUserId, { id, ownIds }) };
}

/** Transfers as these accounts' owner sees them. Undefined if one might be a return and the accounts are unknown. */
export function sellerPaymentsOf(
  partner: Partner,
  transfers: readonly Transfer[],
  ownIds: readonly string[] | undefined,
): SellerPayment[] | undefined {
  if (!ownIds && transfers.some(({ routine_name = "" }) => returnName.test(routine_name))) return undefined;
  return transfers.map((transfer) => ({
    ...transfer,
    meaning: meaningOf(partner, transfer.status ?? ""),
    returned: returnedBy(transfer, ownIds ?? []),
  }));
}

const returnName = /^Return of (\S+): (.+)$/;

// The payer chooses the name, so a transfer into the seller's own account isn't a return, regardless of its name.
function returnedBy(
  { routine_name = "", destination_id = "" }: Transfer,
  ownIds: readonly string[],
): SellerPayment["returned"] {
  const [, transferId, reason] = returnName.exec(routine_name) ?? [];
  return transferId && reason && !ownIds.includes(destination_id) ? { transferId, reason } : undefined;
}

/** A return is newer than its payment, so this reads from the newest transfer down to the payment. */
async function findReturn(
  partner: Partner,
  serviceUserId: string,
  { id, ownIds }: { id: string; ownIds: readonly string[] | undefined },
): Promise<SellerPayment | "unknown" | undefined> {
  let startingAfter: string | undefined;
  let isWhole = true;
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const page = await listTransfers(partner, serviceUserId, { limit: batchSize, startingAfter });
    const payments = page.kind === "ok" && sellerPaymentsOf(partner, page.body.items, ownIds);
    if (page.kind !== "ok" || !payments) return "unknown";
    const found = payments.find(({ returned }) => returned?.transferId === id);
    startingAfter = page.body.next;
    isWhole &&= page.body.isWhole;
    if (found || page.body.isLast || payments.some((payment) => payment.id === id)) {
      return found ?? (isWhole ? undefined : "unknown");
    }
    if (!startingAfter) return "unknown";
  }
  return "unknown";
}

export function listTransfers(
  partner: Partner,
  serviceUserId: string,
  page: { limit: number; startingAfter: string | undefined },
) {
  return partner.tokens.call(serviceUserId, (token) => partner.client.listTransfers(token, page));
}

export async function listOwnIds(partner: Partner, serviceUserId: string): Promise<string[] | undefined> {
  const accounts = await partner.tokens.call(serviceUserId, partner.client.listAccounts);
  return accounts.kind === "ok" ? accounts.body.items.map(({ id }) => id) : undefined;
}

import { createHash } from "node:crypto";
import type * as z from "zod/mini";
import { words } from "#words";
import { newId } from "../../kit/ids.ts";
import type { Partner } from "../partner.ts";
import { type ActionResult, type FormState, problemAt } from "../requests/form-state.ts";
import { confirmBatch, findBatch, listBatchPayments, requeueNotMade, storeDraft } from "../storage/payment-batches.ts";
import type { Person } from "../storage/people.ts";
import { listPayableSellers } from "../storage/service-users.ts";
import { type batchConfirmation, type batchForm, batchId, type batchRetry } from "./batch-fields.ts";
import { type ListedPayment, readPaymentList, writePaymentList } from "./payment-list.ts";

/** Stores the list as a draft to review, or says which lines can't be paid. */
export async function submitBatch(
  partner: Partner,
  { batch_id: id, source_id: sourceId, list, file }: z.output<typeof batchForm>,
  operator: Person,
): Promise<ActionResult> {
  const text = list.trim() === "" && file ? await file.text() : list;
  const read = readPaymentList(text, await listPayableSellers(partner.db));
  if (read.kind === "problem") return listProblem(read);
  const digest = digestOf(sourceId, read.payments);
  const payments = read.payments.map((payment) => ({ ...payment, idempotencyKey: newId() }));
  const draft = { id, createdBy: operator.id, sourceId, digest, payments };
  if (await partner.inTransaction((tx) => storeDraft(tx, draft))) return { redirectTo: `/routines/batch/${id}` };
  // The form was left open, or came back with the Back button.
  const sent = await findBatch(partner.db, id);
  if (sent?.digest === digest) return { redirectTo: `/routines/batch/${id}` };
  return sentProblem(id);
}

/** Sends the reviewed batch, once, as this operator's. */
export async function submitConfirmation(
  partner: Partner,
  { batch_id: id, digest }: z.output<typeof batchConfirmation>,
  operator: Person,
): Promise<ActionResult> {
  const isConfirmed = await partner.inTransaction((tx) => confirmBatch(tx, { id, digest, createdBy: operator.id }));
  const page = { redirectTo: `/routines/batch/${id}` };
  if (isConfirmed) return page;
  const batch = await findBatch(partner.db, id);
  if (!batch?.confirmedAt) return problemAt("form", words("pay.problems")("listChanged"));
  return batch.digest === digest ? page : sentProblem(id);
}

/** Retries the payments that weren't made, each under its own key. */
export async function submitBatchRetry(
  partner: Partner,
  { batch_id: id }: z.output<typeof batchRetry>,
): Promise<ActionResult> {
  await partner.inTransaction((tx) => requeueNotMade(tx, id));
  return { redirectTo: `/routines/batch/${id}` };
}

/** A draft as its form shows it. Undefined if the form needs a new id: it has none, or its batch was already sent. */
export async function draftOfForm(
  partner: Partner,
  typed: unknown,
): Promise<{ id: string; sourceId: string; list: string } | undefined> {
  const { data: id } = batchId.safeParse(typed);
  const batch = id && (await findBatch(partner.db, id));
  if (!id || (batch && batch.confirmedAt !== null)) return undefined;
  if (!batch) return { id, sourceId: "", list: "" };
  const rows = await listBatchPayments(partner.db, id);
  const list = writePaymentList(rows.map(({ payment, email }) => ({ ...payment, email: email ?? "" })));
  return { id, sourceId: batch.sourceId, list };
}

function listProblem({ problems, more }: { problems: string[]; more: number }): FormState {
  const t = words("pay.problems");
  const messages = more > 0 ? [...problems, t("more", { count: more })] : problems;
  return {
    problems: messages.map((message) => ({ field: "list", message })),
    title: t("checkList"),
  };
}

function sentProblem(id: string): FormState {
  const t = words("pay.problems");
  return problemAt("form", t("listSent"), { link: { href: `/routines/batch/${id}`, label: t("viewPayments") } });
}

/** The same payments in any order have the same digest. */
function digestOf(sourceId: string, payments: ListedPayment[]): string {
  const lines = payments.map(({ sellerUserId, amountCents, name }) =>
    JSON.stringify([sellerUserId, amountCents, name]),
  );
  return createHash("sha256")
    .update(JSON.stringify([sourceId, ...lines.sort()]))
    .digest("hex");
}

/** The form's URL, to return to after signing in again. */
export function addressOfSentBatch(sent: unknown): string {
  const id = sentId(sent);
  return id ? `/routines/batch?form=${id}` : "/routines/batch";
}

/** The same for a batch's own page. */
export function addressOfReviewedBatch(sent: unknown): string {
  const id = sentId(sent);
  return id ? `/routines/batch/${id}` : "/routines/batch";
}

function sentId(sent: unknown): string | undefined {
  return batchId.safeParse(sent instanceof FormData ? sent.get("batch_id") : undefined).data;
}

import { type RoutineStatus, routineStatusOfTransfer, type TransferStatus } from "../../contract/statuses.ts";
import { type SettlementOrderState, transferStatusOfOrder } from "./settlement-orders.ts";

/** In cents: an account's stored sums, and the sums of its entries and holds. */
export type AccountFacts = {
  id: string;
  isFunding: boolean;
  balanceCents: bigint;
  heldCents: bigint;
  entriesCents: bigint;
  holdsCents: bigint;
};

/**
 * `right…` counts rows with the right amount and accounts. `isDueTooLate`: pending and due later than allowed.
 * `undatedCents`: the amount of a pending transfer without a due time. `orderState`: of its settlement order, if any.
 */
export type TransferFacts = {
  id: string;
  status: TransferStatus;
  routineStatus: RoutineStatus | null;
  holds: number;
  rightHolds: number;
  entries: number;
  rightEntries: number;
  isDueTooLate: boolean;
  undatedCents: number | null;
  orderState: SettlementOrderState | null;
};

/** The sum of a posting's entries in cents, and whether it belongs to a transfer or is a funding. */
export type PostingFacts = { id: string; cents: bigint; isExplained: boolean };

/**
 * Broken references by column: to missing rows, and to rows of another client or user. `row` is null if the key must
 * not be shown or if a client's rows are checked together.
 */
export type ReferenceFacts = {
  table: string;
  row: string | null;
  missing: Record<string, string>;
  foreign: Record<string, string>;
};

/** A key whose record is missing, was created by another request, or has a second key. */
export type KeyFacts = {
  clientId: string;
  operation: string;
  key: string;
  resourceId: string;
  standsFor: "nothing" | "another" | "shared";
};

/** Sentences by row key, and how many more problems there are. */
export type Findings = { byRow: Map<string, string[]>; more: number };

/** The problems that both reads found, in the second's words. The others were changes in progress. */
export function confirmFindings(first: Findings, second: Findings): Findings {
  const both = [...second.byRow].filter(([row]) => first.byRow.has(row));
  return { byRow: new Map(both), more: Math.min(first.more, second.more) };
}

export function findAccountProblems(account: AccountFacts): string[] {
  const { id, isFunding, balanceCents, heldCents, entriesCents, holdsCents } = account;
  const problems: string[] = [];
  if (balanceCents !== entriesCents) {
    problems.push(`Account ${id} has a balance of ${balanceCents} cents, but its entries sum to ${entriesCents}.`);
  }
  if (heldCents !== holdsCents) {
    problems.push(`Account ${id} has ${heldCents} cents held, but its holds sum to ${holdsCents}.`);
  }
  if (!isFunding && balanceCents < heldCents) {
    problems.push(`Account ${id} is overdrawn: ${balanceCents} cents, ${heldCents} held.`);
  }
  return problems;
}

/**
 * A transfer needs one correct hold while pending, two correct entries once processed, matching statuses of its routine and
 * order, and a due time unless its amount settles by hand or a provider was asked to settle it.
 */
export function findTransferProblems(
  transfer: TransferFacts,
  { isByHand }: { isByHand: (amountCents: number) => boolean },
): string[] {
  const { id, status, routineStatus, holds, rightHolds, entries, rightEntries } = transfer;
  const { isDueTooLate, undatedCents, orderState } = transfer;
  const holdsWanted = status === "pending" ? 1 : 0;
  const entriesWanted = status === "processed" ? 2 : 0;
  const problems: string[] = [];
  if (holds !== holdsWanted || rightHolds !== holdsWanted) {
    problems.push(`Transfer ${id} is ${status} but has ${holds} holds, ${rightHolds} with its amount and source.`);
  }
  if (entries !== entriesWanted || rightEntries !== entriesWanted) {
    problems.push(`Transfer ${id} is ${status} but has ${entries} entries, ${rightEntries} correct.`);
  }
  if (routineStatus !== routineStatusOfTransfer[status]) {
    problems.push(`Transfer ${id} is ${status} but its routine is ${routineStatus ?? "missing"}.`);
  }
  if (orderState !== null && status !== transferStatusOfOrder[orderState]) {
    problems.push(`Transfer ${id} is ${status} but its settlement order is ${orderState}.`);
  }
  if (isDueTooLate || (undatedCents !== null && orderState === null && !isByHand(undatedCents))) {
    problems.push(`Transfer ${id} is pending but will never fall due.`);
  }
  return problems;
}

export function findPostingProblems({ id, cents, isExplained }: PostingFacts): string[] {
  return [
    ...(cents === 0n ? [] : [`Posting ${id} sums to ${cents} cents instead of zero.`]),
    ...(isExplained ? [] : [`Posting ${id} belongs to no transfer and involves no funding account.`]),
  ];
}

export function findReferenceProblems({ table, row, missing, foreign }: ReferenceFacts): string[] {
  const what = row === null ? `A row of ${table}` : `Row ${row} of ${table}`;
  return [
    ...Object.entries(missing).map(([column, id]) => `${what} refers by ${column} to ${id}, which does not exist.`),
    ...Object.entries(foreign).map(
      ([column, id]) => `${what} refers by ${column} to ${id}, which belongs to another client or user.`,
    ),
  ];
}

export function findKeyProblems({ clientId, operation, key, resourceId, standsFor }: KeyFacts): string[] {
  const wrong = {
    nothing: "which does not exist",
    another: "which another request created",
    shared: "which another key refers to as well",
  }[standsFor];
  return [`Idempotency key ${key} of ${clientId} (${operation}) refers to ${resourceId}, ${wrong}.`];
}

import { type RoutineStatus, routineStatusOfTransfer, type TransferStatus } from "../../contract/statuses.ts";

/** An account's stored sums and those of its entries and holds. In cents, as bigint. */
export type AccountFacts = {
  id: string;
  isFunding: boolean;
  balanceCents: bigint;
  heldCents: bigint;
  entriesCents: bigint;
  holdsCents: bigint;
};

/**
 * A transfer with its routine, holds and entries; `right…` counts those with the right amount and accounts. `isTooFarOff`: it is
 * pending and due later than allowed. `undatedCents`: the amount of a pending transfer without a due time.
 */
export type TransferFacts = {
  id: string;
  status: TransferStatus;
  routineStatus: RoutineStatus | null;
  holds: number;
  rightHolds: number;
  entries: number;
  rightEntries: number;
  isTooFarOff: boolean;
  undatedCents: number | null;
};

/** A posting, the sum of its entries in cents, and whether it is a transfer's or involves a funding account. */
export type PostingFacts = { id: string; cents: bigint; isExplained: boolean };

/**
 * A row's broken references by column: to rows that don't exist, and to rows of another client or user. `row` is its key; null
 * when it must not be shown, or when a client's rows are checked as one.
 */
export type ReferenceFacts = {
  table: string;
  row: string | null;
  missing: Record<string, string>;
  foreign: Record<string, string>;
};

/** An idempotency key whose record is wrong: missing, another request's, or shared with a second key. */
export type KeyFacts = {
  clientId: string;
  operation: string;
  key: string;
  resourceId: string;
  standsFor: "nothing" | "another" | "shared";
};

/** The problems found in a page of rows: sentences by row key, and how many more there are. */
export type Findings = { byRow: Map<string, string[]>; more: number };

/** The findings of both of two reads, as worded by the second; what only one of them saw was in progress. */
export function confirmFindings(first: Findings, second: Findings): Findings {
  const both = [...second.byRow].filter(([row]) => first.byRow.has(row));
  return { byRow: new Map(both), more: Math.min(first.more, second.more) };
}

/** The problems of an account, as sentences for an operator. */
export function findAccountProblems(account: AccountFacts): string[] {
  const { id, isFunding, balanceCents, heldCents, entriesCents, holdsCents } = account;
  const problems: string[] = [];
  if (balanceCents !== entriesCents) {
    problems.push(`Account ${id} has a balance of ${balanceCents} cents, and its entries sum to ${entriesCents}.`);
  }
  if (heldCents !== holdsCents) {
    problems.push(`Account ${id} has ${heldCents} cents held, and its holds sum to ${holdsCents}.`);
  }
  if (!isFunding && balanceCents < heldCents) {
    problems.push(`Account ${id} is overdrawn: ${balanceCents} cents, ${heldCents} held.`);
  }
  return problems;
}

/**
 * The problems of a transfer: it needs one right hold while pending, two right entries once processed, a matching routine
 * status, and a due time unless transfers of its amount settle by hand.
 */
export function findTransferProblems(
  transfer: TransferFacts,
  { isByHand }: { isByHand: (amountCents: number) => boolean },
): string[] {
  const { id, status, routineStatus, holds, rightHolds, entries, rightEntries, isTooFarOff, undatedCents } = transfer;
  const holdsWanted = status === "pending" ? 1 : 0;
  const entriesWanted = status === "processed" ? 2 : 0;
  const problems: string[] = [];
  if (holds !== holdsWanted || rightHolds !== holdsWanted) {
    problems.push(`Transfer ${id} is ${status} and has ${holds} holds, ${rightHolds} with its amount and source.`);
  }
  if (entries !== entriesWanted || rightEntries !== entriesWanted) {
    problems.push(`Transfer ${id} is ${status} and has ${entries} entries, ${rightEntries} correct.`);
  }
  if (routineStatus !== routineStatusOfTransfer[status]) {
    problems.push(`Transfer ${id} is ${status} and its routine is ${routineStatus ?? "missing"}.`);
  }
  if (isTooFarOff || (undatedCents !== null && !isByHand(undatedCents))) {
    problems.push(`Transfer ${id} is pending and will not fall due.`);
  }
  return problems;
}

/** The problems of a posting: its entries must sum to zero and have a reason. */
export function findPostingProblems({ id, cents, isExplained }: PostingFacts): string[] {
  return [
    ...(cents === 0n ? [] : [`Posting ${id} sums to ${cents} cents, and not to zero.`]),
    ...(isExplained ? [] : [`Posting ${id} is not that of a transfer and moves no money of a funding account.`]),
  ];
}

/** The problems of a row's references: they must exist and belong to the same client and user. */
export function findReferenceProblems({ table, row, missing, foreign }: ReferenceFacts): string[] {
  const what = row === null ? `A row of ${table}` : `Row ${row} of ${table}`;
  return [
    ...Object.entries(missing).map(([column, id]) => `${what} refers by ${column} to ${id}, which does not exist.`),
    ...Object.entries(foreign).map(
      ([column, id]) => `${what} refers by ${column} to ${id}, which belongs to another client or user.`,
    ),
  ];
}

/** The problems of an idempotency key. */
export function findKeyProblems({ clientId, operation, key, resourceId, standsFor }: KeyFacts): string[] {
  const wrong = {
    nothing: "which does not exist",
    another: "which another request made",
    shared: "for which another key stands too",
  }[standsFor];
  return [`Idempotency key ${key} of ${clientId} (${operation}) stands for ${resourceId}, ${wrong}.`];
}

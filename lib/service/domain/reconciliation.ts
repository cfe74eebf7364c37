import { type RoutineStatus, routineStatusOfTransfer, type TransferStatus } from "../../contract/statuses.ts";

/** An account with the sums that its row states and those of its entries and holds. In cents, exact at any size. */
export type AccountFacts = {
  id: string;
  isFunding: boolean;
  balanceCents: bigint;
  heldCents: bigint;
  entriesCents: bigint;
  holdsCents: bigint;
};

/**
 * A transfer with what belongs to it. `rightEntries` of its `entries` move its amount from its source to its destination.
 * `isTooFarOff`: it is pending, and due or tried again later than anything may be. `undatedCents`: the amount of a pending one
 * that has no due time.
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

/** A posting, what its entries sum to in cents, and whether it is a transfer's own or moves money of a funding account. */
export type PostingFacts = { id: string; cents: bigint; isExplained: boolean };

/**
 * A row that refers to others: by which columns to what doesn't exist, and by which to what belongs to another client or user.
 * `row` is its key; null where it is not to be shown, and where all rows of a client are looked at as one.
 */
export type ReferenceFacts = {
  table: string;
  row: string | null;
  missing: Record<string, string>;
  foreign: Record<string, string>;
};

/** An idempotency key and the record that it stands for wrongly: none, another request's, or one with a second key. */
export type KeyFacts = {
  clientId: string;
  operation: string;
  key: string;
  resourceId: string;
  standsFor: "nothing" | "another" | "shared";
};

/** What a page of rows showed: the sentences about each row, by its key, and how many more there are beyond those in words. */
export type Findings = { byRow: Map<string, string[]>; more: number };

/** What a page showed at both of two looks, in the words of the second one: what only one of them saw was under way. */
export function confirmFindings(first: Findings, second: Findings): Findings {
  const both = [...second.byRow].filter(([row]) => first.byRow.has(row));
  return { byRow: new Map(both), more: Math.min(first.more, second.more) };
}

/** What is wrong with an account, in sentences for an operator; empty when nothing is. */
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
    problems.push(`Account ${id} is overdrawn: ${balanceCents} cents, of which ${heldCents} are held.`);
  }
  return problems;
}

/**
 * The same for a transfer: one right hold while it is pending, two right entries once processed, its routine's status, and a
 * time at which it falls due unless transfers of its amount wait for a decision.
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
    problems.push(
      `Transfer ${id} is ${status} and has ${holds} holds, of which ${rightHolds} are of its amount and source.`,
    );
  }
  if (entries !== entriesWanted || rightEntries !== entriesWanted) {
    problems.push(
      `Transfer ${id} is ${status} and has ${entries} entries, of which ${rightEntries} are as they should be.`,
    );
  }
  if (routineStatus !== routineStatusOfTransfer[status]) {
    problems.push(`Transfer ${id} is ${status} and its routine is ${routineStatus ?? "missing"}.`);
  }
  if (isTooFarOff || (undatedCents !== null && !isByHand(undatedCents))) {
    problems.push(`Transfer ${id} is pending and will not fall due.`);
  }
  return problems;
}

/** The same for a posting: its entries sum to zero, and something accounts for it. */
export function findPostingProblems({ id, cents, isExplained }: PostingFacts): string[] {
  return [
    ...(cents === 0n ? [] : [`Posting ${id} sums to ${cents} cents, and not to zero.`]),
    ...(isExplained ? [] : [`Posting ${id} is not that of a transfer and moves no money of a funding account.`]),
  ];
}

/** The same for what a row refers to: it exists, and is the same client's and user's. */
export function findReferenceProblems({ table, row, missing, foreign }: ReferenceFacts): string[] {
  const what = row === null ? `A row of ${table}` : `Row ${row} of ${table}`;
  return [
    ...Object.entries(missing).map(([column, id]) => `${what} refers by ${column} to ${id}, which does not exist.`),
    ...Object.entries(foreign).map(([column, id]) => `${what} refers by ${column} to ${id}, which is somebody else's.`),
  ];
}

/** The same for an idempotency key that stands for a record wrongly. */
export function findKeyProblems({ clientId, operation, key, resourceId, standsFor }: KeyFacts): string[] {
  const wrong = {
    nothing: "which does not exist",
    another: "which another request made",
    shared: "for which another key stands too",
  }[standsFor];
  return [`Idempotency key ${key} of ${clientId} (${operation}) stands for ${resourceId}, ${wrong}.`];
}

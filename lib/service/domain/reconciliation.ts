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

/** A transfer with what belongs to it. `rightEntries` of its `entries` move its amount from its source to its destination. */
export type TransferFacts = {
  id: string;
  status: TransferStatus;
  routineStatus: RoutineStatus | null;
  holds: number;
  rightHolds: number;
  entries: number;
  rightEntries: number;
};

/** A posting and what its entries sum to, in cents. */
export type PostingFacts = { id: string; cents: bigint };

/**
 * A row that refers to others, and by which columns to what that does not exist. `row` is its key; null where it is not to be
 * shown, and where all rows of a client are looked at as one.
 */
export type ReferenceFacts = { table: string; row: string | null; missing: Record<string, string> };

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

/** The same for a transfer: one right hold while it is pending, two right entries once processed, its routine's status. */
export function findTransferProblems(transfer: TransferFacts): string[] {
  const { id, status, routineStatus, holds, rightHolds, entries, rightEntries } = transfer;
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
  return problems;
}

/** The same for a posting: its entries sum to zero. */
export function findPostingProblems({ id, cents }: PostingFacts): string[] {
  return cents === 0n ? [] : [`Posting ${id} sums to ${cents} cents, and not to zero.`];
}

/** The same for what a row refers to: it exists. */
export function findReferenceProblems({ table, row, missing }: ReferenceFacts): string[] {
  const what = row === null ? `A row of ${table}` : `Row ${row} of ${table}`;
  return Object.entries(missing).map(([column, id]) => `${what} refers by ${column} to ${id}, which does not exist.`);
}

/** The same for all entries together. */
export function findSumProblems(cents: bigint): string[] {
  return cents === 0n ? [] : [`All entries together sum to ${cents} cents, and not to zero.`];
}

import { limits } from "../../contract/limits.ts";
import { canFollow, type TransferStatus } from "../../contract/statuses.ts";
import { finishTransfer } from "../operations/money/settle-transfers.ts";
import { type Account, findAccountOfClient, fundAccount as postFunding } from "../storage/accounts.ts";
import { database, inTransaction } from "../storage/database.ts";
import { type Page, readPart } from "../storage/pagination.ts";
import { findTransferOfClient, listTransfersOfClient, type TransferOfRoutine } from "../storage/routines.ts";
import { type Books, listLedgerItems, readBooks } from "./storage/ledger.ts";

export function listTransfers(clientId: string): Promise<TransferOfRoutine[]> {
  return listTransfersOfClient(database(), { clientId, limit: limits.pageSizeMax });
}

export type TransferDecisionOutcome =
  | { kind: "decided"; transfer: TransferOfRoutine }
  | { kind: "not_found" }
  | { kind: "illegal_transition" };

/** Ends a pending transfer by hand (Decision D16). `failureReason` only applies to failed. */
export async function decideTransfer(
  { id, status, failureReason }: { id: string; status: TransferStatus; failureReason: string | undefined },
  { clientId }: { clientId: string },
): Promise<TransferDecisionOutcome> {
  const found = await findTransferOfClient(database(), { id, clientId });
  if (!found) return { kind: "not_found" };
  if (status === "pending" || !canFollow("transfer", found.status, status)) return { kind: "illegal_transition" };
  const end = { status, failureReason: status === "failed" ? (failureReason ?? "unspecified") : null };
  if (!(await finishTransfer(id, end, { clientId }))) return { kind: "illegal_transition" };
  const transfer = await findTransferOfClient(database(), { id, clientId });
  return transfer ? { kind: "decided", transfer } : { kind: "not_found" };
}

export type FundingOutcome =
  | { kind: "funded"; account: Account }
  | { kind: "not_found" }
  | { kind: "instrument_not_usable" };

/** Moves money from the client's funding account to one of its users' accounts (Decision D16). */
export function fundAccount(
  { accountId, amountCents }: { accountId: string; amountCents: number },
  { clientId }: { clientId: string },
): Promise<FundingOutcome> {
  const ofClient = { id: accountId, clientId };
  return inTransaction(async (tx) => {
    if (!(await findAccountOfClient(tx, ofClient))) return { kind: "not_found" };
    const isFunded = await postFunding(tx, { accountId, amountCents });
    const account = await findAccountOfClient(tx, ofClient);
    return isFunded && account ? { kind: "funded", account } : { kind: "instrument_not_usable" };
  });
}

/** A page of a client's books; `next` is the id to continue after, or null on the last page. */
export type Ledger = Books & { next: string | null };

/** A page of a client's books from one snapshot: accounts, holds and postings, newest first by id. */
export function readLedger({ clientId, ...page }: Page & { clientId: string }): Promise<Ledger> {
  return inTransaction(
    async (tx) => {
      const { rows, next } = await readPart(page, (part) => listLedgerItems(tx, { clientId, ...part }));
      return { ...(await readBooks(tx, clientId, rows)), next };
    },
    { isReadOnly: true },
  );
}

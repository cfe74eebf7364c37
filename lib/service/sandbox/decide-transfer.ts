import type { TransferStatus } from "../../contract/statuses.ts";
import { canFollow } from "../../contract/statuses.ts";
import { finishTransfer } from "../operations/money/settle-transfers.ts";
import { database } from "../storage/database.ts";
import { findTransferOfClient, type TransferOfRoutine } from "../storage/routines.ts";

/** What became of a decision about a transfer. */
export type TransferDecisionOutcome =
  | { kind: "decided"; transfer: TransferOfRoutine }
  | { kind: "not_found" }
  | { kind: "illegal_transition" };

/** Ends a pending transfer of this client as somebody decided (Decision D16). `failureReason` counts for failed only. */
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

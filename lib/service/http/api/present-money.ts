import type { AccountRecord } from "../../../contract/accounts.ts";
import { amountFromCents } from "../../../contract/money.ts";
import type { RoutineRecord, TransferRecord } from "../../../contract/routines.ts";
import type { Account } from "../../operations/money/list-accounts.ts";
import type { RoutineWithTransfer } from "../../operations/money/list-routines.ts";
import type { TransferOfRoutine } from "../../operations/money/list-transfers.ts";

/** An account as the API shows it; what pending transfers hold is not available. Decision D12 */
export function presentAccount({ balanceCents, heldCents, ...account }: Account): AccountRecord {
  const { id, name, type, mask, status } = account;
  return {
    id,
    name,
    type,
    mask,
    currency: "USD",
    current_balance: amountFromCents(balanceCents),
    available_balance: amountFromCents(balanceCents - heldCents),
    status,
  };
}

/** A routine as the API shows it. Decision D13 */
export function presentRoutine(routine: RoutineWithTransfer): RoutineRecord {
  return {
    id: routine.id,
    type: "one-time",
    name: routine.name,
    amount: amountFromCents(routine.amountCents),
    source_id: routine.sourceId,
    destination_id: routine.destinationId,
    status: routine.status,
    active: routine.status === "active",
    transfer_id: routine.transferId,
    created_at: routine.createdAt.toISOString(),
    updated_at: routine.updatedAt.toISOString(),
  };
}

/** A transfer as the API shows it. Decision D13 */
export function presentTransfer(transfer: TransferOfRoutine): TransferRecord {
  return {
    id: transfer.id,
    routine_id: transfer.routineId,
    routine_name: transfer.routineName,
    amount: amountFromCents(transfer.amountCents),
    source_id: transfer.sourceId,
    destination_id: transfer.destinationId,
    status: transfer.status,
    failure_reason: transfer.failureReason,
    created_at: transfer.createdAt.toISOString(),
    updated_at: transfer.updatedAt.toISOString(),
  };
}

import type { AccountRecord, RoutineRecord, TransferRecord } from "../../contract/money.ts";
import type { UserIntentRecord, UserRecord } from "../../contract/people.ts";
import { newId } from "../../kit/ids.ts";

// Records as the service returns them; a test sets only the fields that matter to it.

const createdAt = "2026-01-31T09:30:00.000Z";

export function userRecordOf(fields: Partial<UserRecord> = {}): UserRecord {
  return {
    id: newId(),
    email: "marta@example.com",
    first_name: "Marta",
    last_name: "Quay",
    phone: "+14155550100",
    kyc_type: "verified",
    metadata: { harbor_customer_id: "1" },
    receive_only: false,
    rejection_reasons: [],
    status: "approved",
    user_type: "personal",
    ...fields,
  };
}

export function accountRecordOf(fields: Partial<AccountRecord> = {}): AccountRecord {
  return {
    id: newId(),
    name: "Wallet",
    type: "wallet",
    mask: "1234",
    currency: "USD",
    current_balance: 0,
    available_balance: 0,
    status: "open",
    ...fields,
  };
}

export function routineRecordOf(fields: Partial<RoutineRecord> = {}): RoutineRecord {
  return {
    id: newId(),
    type: "one-time",
    name: "Lamps",
    amount: 12.5,
    source_id: newId(),
    destination_id: newId(),
    status: "active",
    active: true,
    transfer_id: newId(),
    created_at: createdAt,
    updated_at: createdAt,
    ...fields,
  };
}

export function transferRecordOf(fields: Partial<TransferRecord> = {}): TransferRecord {
  return {
    id: newId(),
    routine_id: newId(),
    routine_name: "Lamps",
    amount: 12.5,
    source_id: newId(),
    destination_id: newId(),
    status: "pending",
    failure_reason: null,
    created_at: createdAt,
    updated_at: createdAt,
    ...fields,
  };
}

/** The response of `GET /v1/user_intent/{id}`. */
export function userIntentRecordOf(
  id: string,
  personId: string | undefined,
  changes: Partial<UserIntentRecord> = {},
): UserIntentRecord {
  return {
    id,
    status: "approved",
    kyc_type: "verified",
    first_name: "Marta",
    last_name: "Quay",
    email: "marta@example.com",
    phone: "+14155550123",
    ...(personId && { metadata: { harbor_customer_id: personId } }),
    rejection_reasons: [],
    user_id: null,
    created_at: createdAt,
    updated_at: "2026-01-31T09:30:01.000Z",
    ...changes,
  };
}

import type { AccountRecord } from "../../contract/accounts.ts";
import type { RoutineRecord, TransferRecord } from "../../contract/routines.ts";
import type { UserRecord } from "../../contract/user.ts";
import { newId } from "../../kit/ids.ts";
import { database } from "../storage/database.ts";
import { insertPerson, type Person } from "../storage/people.ts";

// Records as the service answers them, for tests that say only what matters to them.

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

/** Somebody whom no other test knows. */
export async function createPerson(role: Person["role"] = "seller"): Promise<Person> {
  const id = newId();
  const digits = String(Math.floor(Math.random() * 1e7)).padStart(7, "0");
  const person = await insertPerson(database(), {
    id,
    email: `${id}@example.com`,
    firstName: "Marta",
    lastName: "Quay",
    phone: `+1415${digits}`,
    role,
    passwordHash: "none",
  });
  if (!person) throw new Error("The person is new.");
  return person;
}

import { limits } from "../../contract/limits.ts";
import { database } from "../storage/database.ts";
import {
  listUserIntents as listNewestUserIntents,
  listUsers as listNewestUsers,
  type User,
  type UserIntentWithUser,
} from "../storage/people.ts";
import { listTransfersOfClient, type TransferOfRoutine } from "../storage/routines.ts";
import { type ListedVisit, listVisits as listNewestVisits } from "../storage/visits.ts";
import { fingerprintsOf } from "./events/fingerprint.ts";
import { type ListedKey, listIdempotencyKeys as listNewestKeys } from "./storage/idempotency-keys.ts";

export type { ListedVisit } from "../storage/visits.ts";

export function listUserIntents(clientId: string): Promise<UserIntentWithUser[]> {
  return listNewestUserIntents(database(), { clientId, limit: limits.pageSizeMax });
}

export function listUsers(clientId: string): Promise<User[]> {
  return listNewestUsers(database(), { clientId, limit: limits.pageSizeMax });
}

export function listVisits(clientId: string): Promise<ListedVisit[]> {
  return listNewestVisits(database(), { clientId, limit: limits.pageSizeMax });
}

export function listTransfers(clientId: string): Promise<TransferOfRoutine[]> {
  return listTransfersOfClient(database(), { clientId, limit: limits.pageSizeMax });
}

/** A key with the fingerprint that events show in its place. */
export type FingerprintedKey = ListedKey & { fingerprint: string };

export async function listIdempotencyKeys(clientId: string): Promise<FingerprintedKey[]> {
  const fingerprint = fingerprintsOf(clientId);
  const keys = await listNewestKeys(database(), { clientId, limit: limits.pageSizeMax });
  return keys.map((key) => ({ ...key, fingerprint: fingerprint(key.key) }));
}

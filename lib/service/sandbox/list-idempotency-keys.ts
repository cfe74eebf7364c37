import { limits } from "../../contract/limits.ts";
import { database } from "../storage/database.ts";
import { type ListedKey, listIdempotencyKeys as listNewestKeys } from "../storage/idempotency-keys.ts";
import { fingerprintsOf } from "./events/fingerprint.ts";

/** A key with the fingerprint that events show in its place. */
export type ToldKey = ListedKey & { fingerprint: string };

/** A client's newest idempotency keys, newest first, at most `limits.pageSizeMax`. */
export async function listIdempotencyKeys(clientId: string): Promise<ToldKey[]> {
  const fingerprint = fingerprintsOf(clientId);
  const keys = await listNewestKeys(database(), { clientId, limit: limits.pageSizeMax });
  return keys.map((key) => ({ ...key, fingerprint: fingerprint(key.key) }));
}

import { uuid } from "../../../contract/text.ts";
import { sha256 } from "../../../kit/secrets.ts";
import type { Db } from "../../storage/database.ts";
import { findVisit, type Visit } from "../../storage/visits.ts";

/** What a browser shows to continue its visit: the id from the address, the secret from that visit's own cookie. */
export type VisitKey = { visitId: string; visitSecret: string };

/** The visit that the key opens; undefined when nothing fits, whatever texts the key holds. */
export async function findVisitByKey(db: Db, key: VisitKey, options?: { lock: boolean }): Promise<Visit | undefined> {
  if (!uuid.safeParse(key.visitId).success) return undefined;
  return findVisit(db, key.visitId, sha256(key.visitSecret), options);
}

import { uuid } from "../../../contract/text.ts";
import { sha256 } from "../../../kit/secrets.ts";
import type { Db } from "../../storage/database.ts";
import { findVisit, type Visit } from "../../storage/visits.ts";

/** The id from the URL and the secret from the visit's cookie. */
export type VisitKey = { visitId: string; visitSecret: string };

/** Undefined for a wrong or malformed key. */
export async function findVisitByKey(db: Db, key: VisitKey, options?: { lock: boolean }): Promise<Visit | undefined> {
  if (!uuid.safeParse(key.visitId).success) return undefined;
  return findVisit(db, key.visitId, sha256(key.visitSecret), options);
}

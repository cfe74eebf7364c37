import { limits } from "../../contract/limits.ts";
import { database } from "../storage/database.ts";
import { type ListedVisit, listVisits as listNewestVisits } from "../storage/visits.ts";

export type { ListedVisit } from "../storage/visits.ts";

/** A client's newest visits to the authorization pages, newest first, at most `limits.pageSizeMax`. */
export function listVisits(clientId: string): Promise<ListedVisit[]> {
  return listNewestVisits(database(), { clientId, limit: limits.pageSizeMax });
}

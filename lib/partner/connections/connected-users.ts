import { partnerConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUser, findServiceUserOfPerson } from "../storage/service-users.ts";

/** The service's id of a seller; undefined while they never authorized Harbor. */
export async function findServiceUserId(seller: Person): Promise<string | undefined> {
  return (await findServiceUserOfPerson(database(), seller.id))?.id;
}

/** The service's id of the business; undefined while no operator connected it. */
export async function findBusinessUserId(): Promise<string | undefined> {
  return (await findServiceUser(database(), partnerConfig().businessUserId))?.id;
}

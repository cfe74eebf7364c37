import type { Partner } from "../partner.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUser, findServiceUserOfPerson } from "../storage/service-users.ts";

/** The service's id of a seller; undefined while they never authorized Harbor. */
export async function findServiceUserId(partner: Partner, seller: Person): Promise<string | undefined> {
  return (await findServiceUserOfPerson(partner.db, seller.id))?.id;
}

/** The service's id of the business; undefined while no operator connected it. */
export async function findBusinessUserId(partner: Partner): Promise<string | undefined> {
  return (await findServiceUser(partner.db, partner.config.businessUserId))?.id;
}

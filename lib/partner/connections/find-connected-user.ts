import { partnerConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUser, findServiceUserOfPerson } from "../storage/service-users.ts";
import { type ConnectedUser, readConnectedUser } from "./read-connected-user.ts";

/** What the service shows of a seller; undefined while they never authorized Harbor. */
export async function findConnectedUserOf(person: Person): Promise<ConnectedUser | undefined> {
  const user = await findServiceUserOfPerson(database(), person.id);
  return user && readConnectedUser(user.id);
}

/** What the service shows of the business; undefined while no operator connected it. */
export async function findConnectedBusiness(): Promise<ConnectedUser | undefined> {
  const business = await findServiceUser(database(), partnerConfig().businessUserId);
  return business && readConnectedUser(business.id);
}

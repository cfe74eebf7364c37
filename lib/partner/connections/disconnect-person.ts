import { partnerConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { disconnect } from "../tokens/connection.ts";

/** Ends a seller's own connection; a sentence when the service could not be asked. */
export async function disconnectPerson(person: Person): Promise<string | undefined> {
  const user = await findServiceUserOfPerson(database(), person.id);
  return user && end(user.id);
}

/** Ends the business's connection; a sentence when the service could not be asked. */
export function disconnectBusiness(): Promise<string | undefined> {
  return end(partnerConfig().businessUserId);
}

async function end(serviceUserId: string): Promise<string | undefined> {
  const { kind } = await disconnect(serviceUserId);
  return kind === "unavailable" ? "Plainbook did not answer, so you are still connected. Please try again." : undefined;
}

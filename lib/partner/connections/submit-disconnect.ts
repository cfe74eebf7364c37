import { redirect } from "next/navigation";
import { partnerConfig } from "../config.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { disconnect } from "../tokens/connection.ts";

/** Ends a seller's own connection, or says that the service could not be asked. */
export async function submitSellerDisconnect(_fields: unknown, person: Person): Promise<FormState> {
  const user = await findServiceUserOfPerson(database(), person.id);
  return end(user?.id, "/dashboard");
}

/** Ends the business's connection, or says that the service could not be asked. */
export function submitBusinessDisconnect(): Promise<FormState> {
  return end(partnerConfig().businessUserId, "/business");
}

async function end(serviceUserId: string | undefined, page: string): Promise<FormState> {
  if (serviceUserId && (await disconnect(serviceUserId)).kind === "unavailable") {
    return problemAt("form", "Plainbook did not answer, so you are still connected. Please try again.");
  }
  return redirect(page);
}

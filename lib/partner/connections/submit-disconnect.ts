import { redirect } from "next/navigation";
import type { Unsuccessful } from "#client";
import { partnerConfig } from "../config.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { tokens } from "../tokens/token-store.ts";

/** Ends a seller's own connection, or says that the service did not do so. */
export async function submitSellerDisconnect(_fields: unknown, person: Person): Promise<FormState> {
  const user = await findServiceUserOfPerson(database(), person.id);
  return end(user?.id, "/dashboard");
}

/** Ends the business's connection, or says that the service did not do so. */
export function submitBusinessDisconnect(): Promise<FormState> {
  return end(partnerConfig().businessUserId, "/business");
}

async function end(serviceUserId: string | undefined, page: string): Promise<FormState> {
  const ended = serviceUserId ? await tokens().disconnect(serviceUserId) : undefined;
  if (ended?.kind === "failed") return problemAt("form", sentenceOf(ended.trouble));
  redirect(ended?.kind === "forgotten_here" ? `${page}?ended=here` : page);
}

/** What is said where the service did not end a connection. */
export function sentenceOf(trouble: Unsuccessful): string {
  const { serviceName } = partnerConfig();
  return trouble.kind === "unreachable"
    ? `${serviceName} did not answer, so you are still connected. Please try again.`
    : `${serviceName} did not end the connection, so you are still connected. Please try again.`;
}

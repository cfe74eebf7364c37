import type { Unsuccessful } from "#client";
import type { Partner } from "../partner.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";

/** Ends a seller's own connection, or says that the service did not do so. */
export async function submitSellerDisconnect(
  partner: Partner,
  _fields: unknown,
  person: Person,
): Promise<ActionResult> {
  const user = await findServiceUserOfPerson(partner.db, person.id);
  return end(partner, user?.id, "/dashboard");
}

/** Ends the business's connection, or says that the service did not do so. */
export function submitBusinessDisconnect(partner: Partner): Promise<ActionResult> {
  return end(partner, partner.config.businessUserId, "/business");
}

async function end(partner: Partner, serviceUserId: string | undefined, page: string): Promise<ActionResult> {
  const ended = serviceUserId ? await partner.tokens.disconnect(serviceUserId) : undefined;
  if (ended?.kind === "failed") return problemAt("form", sentenceOf(partner, ended.trouble));
  return { redirectTo: ended?.kind === "forgotten_here" ? `${page}?ended=here` : page };
}

/** What is said where the service did not end a connection. */
export function sentenceOf(partner: Partner, trouble: Unsuccessful): string {
  const { serviceName } = partner.config;
  return trouble.kind === "unreachable"
    ? `${serviceName} did not answer, so you are still connected. Please try again.`
    : `${serviceName} did not end the connection, so you are still connected. Please try again.`;
}

import type { Unsuccessful } from "#client";
import type { Partner } from "../partner.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";

export async function submitSellerDisconnect(
  partner: Partner,
  _fields: unknown,
  person: Person,
): Promise<ActionResult> {
  const user = await findServiceUserOfPerson(partner.db, person.id);
  return disconnect(partner, user?.id, "/dashboard");
}

export function submitBusinessDisconnect(partner: Partner): Promise<ActionResult> {
  return disconnect(partner, partner.config.businessUserId, "/business");
}

async function disconnect(partner: Partner, serviceUserId: string | undefined, page: string): Promise<ActionResult> {
  const ended = serviceUserId ? await partner.tokens.disconnect(serviceUserId) : undefined;
  if (ended?.kind === "failed") return problemAt("form", disconnectProblem(partner, ended.trouble));
  return { redirectTo: ended?.kind === "forgotten_here" ? `${page}?ended=here` : page };
}

export function disconnectProblem(partner: Partner, trouble: Unsuccessful): string {
  const { serviceName } = partner.config;
  const what = trouble.kind === "unreachable" ? "didn't answer" : "didn't end the connection";
  return `${serviceName} ${what}, so you're still connected. Please try again.`;
}

import { redirect } from "next/navigation";
import { brandName } from "../../../brand/name.ts";
import { partnerConfig } from "../config.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { type Disconnected, disconnect } from "../tokens/connection.ts";

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
  const ended = serviceUserId ? await disconnect(serviceUserId) : undefined;
  return stateOfDisconnect(ended, page) ?? redirect(page);
}

/** What the form is to show; undefined when all is over and there is nothing more to say. */
export function stateOfDisconnect(ended: Disconnected | undefined, page: string): FormState | undefined {
  const { serviceName } = partnerConfig();
  switch (ended?.kind) {
    case "failed":
      return problemAt(
        "form",
        ended.trouble.kind === "unreachable"
          ? `${serviceName} did not answer, so you are still connected. Please try again.`
          : `${serviceName} did not end the connection, so you are still connected. Please try again.`,
      );
    case "forgotten_here":
      return {
        problems: [],
        news: `${brandName} has deleted its access. ${serviceName} cannot end it right away. It ends by itself after ten days at most, or when you ask ${serviceName}.`,
        link: { href: page, label: "Go on" },
      };
    case "disconnected":
    case undefined:
      return undefined;
  }
}

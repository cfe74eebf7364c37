import { redirect } from "next/navigation";
import * as z from "zod/mini";
import type { Partner } from "../partner.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { returnToField } from "../requests/own-path.ts";
import type { Person } from "../storage/people.ts";
import { sentenceOfTrouble } from "./callback-problem.ts";
import { startAuthorization } from "./start-authorization.ts";

/** What the business's button sends: the page that it stands on. */
export const authorizeBusinessFields = z.object({ return_to: returnToField });

/** A seller's way to the service's pages and back to the dashboard, or why that is not possible now. */
export function submitSellerAuthorization(partner: Partner, _fields: unknown, person: Person): Promise<FormState> {
  return leadToService(partner, { person, purpose: "seller", returnTo: "/dashboard" });
}

/** An operator's way to the service's pages, for the business, and back to where they were. */
export function submitBusinessAuthorization(
  partner: Partner,
  { return_to }: z.output<typeof authorizeBusinessFields>,
  person: Person,
): Promise<FormState> {
  return leadToService(partner, { person, purpose: "business", returnTo: return_to || "/business" });
}

async function leadToService(partner: Partner, request: Parameters<typeof startAuthorization>[1]): Promise<FormState> {
  const started = await startAuthorization(partner, request);
  if (started.kind === "ok") redirect(started.address);
  if (started.kind === "not_onboarded") redirect("/onboarding");
  return problemAt("form", sentenceOfTrouble(started));
}

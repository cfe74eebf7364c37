"use server";

import { redirect } from "next/navigation";
import { startAuthorization } from "#lib/partner/authorization/start-authorization.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { requirePartnerListener } from "#lib/partner/sessions/require-partner-listener.ts";

/** On to the service's pages, or why that is not possible now. */
export async function authorize(_previous: string): Promise<string> {
  await requirePartnerListener();
  const person = await requirePerson({ role: "seller", returnTo: "/onboarding/status" });
  const started = await startAuthorization({ person, purpose: "seller", returnTo: "/dashboard" });
  if (started.kind === "ok") redirect(started.address);
  if (started.kind === "not_onboarded") redirect("/onboarding");
  return "Our payment service did not answer. Please try again in a minute.";
}

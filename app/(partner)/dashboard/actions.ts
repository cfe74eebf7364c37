"use server";

import { redirect } from "next/navigation";
import { startAuthorization } from "#lib/partner/authorization/start-authorization.ts";
import { sentenceOfTrouble } from "#lib/partner/authorization/trouble-sentence.ts";
import { disconnectPerson } from "#lib/partner/connections/disconnect-person.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { requirePartnerListener } from "#lib/partner/sessions/require-partner-listener.ts";

export async function authorizeAgain(_previous: string): Promise<string> {
  await requirePartnerListener();
  const person = await requirePerson({ role: "seller", returnTo: "/dashboard" });
  const started = await startAuthorization({ person, purpose: "seller", returnTo: "/dashboard" });
  if (started.kind === "ok") redirect(started.address);
  if (started.kind === "not_onboarded") redirect("/onboarding");
  return sentenceOfTrouble(started);
}

export async function disconnectSeller(_previous: string): Promise<string> {
  await requirePartnerListener();
  const trouble = await disconnectPerson(await requirePerson({ role: "seller", returnTo: "/dashboard" }));
  if (trouble) return trouble;
  redirect("/dashboard");
}

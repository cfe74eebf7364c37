"use server";

import { redirect } from "next/navigation";
import { ownPath } from "#lib/partner/authorization/return-path.ts";
import { startAuthorization } from "#lib/partner/authorization/start-authorization.ts";
import { sentenceOfTrouble } from "#lib/partner/authorization/trouble-sentence.ts";
import { disconnectBusiness } from "#lib/partner/connections/disconnect-person.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { requirePartnerListener } from "#lib/partner/sessions/require-partner-listener.ts";

export async function authorizeBusiness(_previous: string, form: FormData): Promise<string> {
  await requirePartnerListener();
  const person = await requirePerson({ role: "operator", returnTo: "/business" });
  const wanted = form.get("return_to");
  const returnTo = ownPath(typeof wanted === "string" ? wanted : undefined, "/business");
  const started = await startAuthorization({ person, purpose: "business", returnTo });
  if (started.kind === "ok") redirect(started.address);
  return started.kind === "not_onboarded" ? "" : sentenceOfTrouble(started);
}

export async function disconnectOperatingBusiness(_previous: string): Promise<string> {
  await requirePartnerListener();
  await requirePerson({ role: "operator", returnTo: "/business" });
  const trouble = await disconnectBusiness();
  if (trouble) return trouble;
  redirect("/business");
}

"use server";

import { redirect } from "next/navigation";
import { requirePerson } from "#lib/partner/people/session.ts";
import { createRoutine } from "#lib/partner/routines/create-routine.ts";
import type { RoutineProblem } from "#lib/partner/routines/routine-form.ts";
import { requirePartnerListener } from "#lib/partner/sessions/require-partner-listener.ts";

export async function payRoutine(_previous: RoutineProblem | undefined, form: FormData): Promise<RoutineProblem> {
  await requirePartnerListener();
  const operator = await requirePerson({ role: "operator", returnTo: "/routines/new" });
  const created = await createRoutine(form, operator);
  if (created.kind === "problem") return created;
  redirect(`/routines/${created.routineId}`);
}

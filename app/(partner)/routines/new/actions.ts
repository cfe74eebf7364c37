"use server";

import { redirect } from "next/navigation";
import { requirePartnerDoor } from "#lib/partner/people/require-partner-door.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { createRoutine } from "#lib/partner/routines/create-routine.ts";
import type { RoutineProblem } from "#lib/partner/routines/routine-form.ts";

export async function payRoutine(_previous: RoutineProblem | undefined, form: FormData): Promise<RoutineProblem> {
  await requirePartnerDoor();
  const operator = await requirePerson({ role: "operator", returnTo: "/routines/new" });
  const created = await createRoutine(form, operator);
  if (created.kind === "problem") return created;
  redirect(`/routines/${created.routineId}`);
}

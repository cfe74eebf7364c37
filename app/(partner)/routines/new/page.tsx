import type { Metadata } from "next";
import { NewRoutine } from "#components/partner/routines/new-routine.tsx";
import { requirePerson } from "#lib/partner/people/session.ts";
import { readRoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { authorizeBusiness } from "../../business/actions.ts";
import { paySeller } from "./actions.ts";

export const metadata: Metadata = { title: "Pay a seller" };

export default async function NewRoutinePage() {
  await requirePerson({ role: "operator", returnTo: "/routines/new" });
  // A new key each time the page is shown: each form is one payment, however often it is sent.
  const idempotencyKey = crypto.randomUUID();
  return (
    <NewRoutine
      choices={readRoutineChoices()}
      idempotencyKey={idempotencyKey}
      pay={paySeller}
      authorize={authorizeBusiness}
    />
  );
}

import { redirect } from "next/navigation";
import type * as z from "zod/mini";
import { readClientAddress } from "../requests/client-address.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import type { onboardingForm } from "./onboarding-fields.ts";
import { startOnboarding } from "./start-onboarding.ts";

/** The form at `/onboarding`: on to the page that waits, or which fields to look at. */
export async function submitOnboarding(
  { idempotency_key, ...values }: z.output<typeof onboardingForm>,
  person: Person,
): Promise<FormState> {
  const clientAddress = await readClientAddress();
  const started = await startOnboarding(person, values, { idempotencyKey: idempotency_key, clientAddress });
  switch (started.kind) {
    case "submitted":
      return redirect("/onboarding/status");
    case "invalid":
      return { problems: started.problems };
    case "not_permitted":
      return problemAt("form", "We cannot open a payout account with this phone number. Our support will help you.");
    case "unavailable":
      return problemAt(
        "form",
        "Our payment service did not answer. Nothing is lost: please send it again in a minute.",
      );
  }
}

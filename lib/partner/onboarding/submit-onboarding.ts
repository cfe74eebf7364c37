import { redirect } from "next/navigation";
import type * as z from "zod/mini";
import type { Partner } from "../partner.ts";
import { readClientAddress } from "../requests/client-address.ts";
import { type FormState, troubleOf } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import type { onboardingForm } from "./onboarding-fields.ts";
import { startOnboarding } from "./start-onboarding.ts";

/** The form at `/onboarding`: on to the page that waits, or which fields to look at. */
export async function submitOnboarding(
  partner: Partner,
  { idempotency_key, ...values }: z.output<typeof onboardingForm>,
  person: Person,
): Promise<FormState> {
  const clientAddress = await readClientAddress();
  const started = await startOnboarding(partner, person, values, { idempotencyKey: idempotency_key, clientAddress });
  switch (started.kind) {
    case "submitted":
      return redirect("/onboarding/status");
    case "invalid":
      return { problems: started.problems };
    case "not_permitted":
      return troubleOf(
        "We can't open a payment account for you",
        "Our payment service does not allow one for this phone number. Please contact our support.",
      );
    case "refused":
      return started.isTemporary
        ? troubleOf(
            "Your details were not sent",
            "Our payment service cannot take them right now. Please try again in a minute.",
          )
        : troubleOf(
            "Your details were not accepted",
            "Our payment service did not take them, and no account was opened. Please contact our support.",
          );
    case "unanswered":
      return troubleOf(
        "We don't know whether your details arrived",
        `${sentenceOfSilence(started)} Please send them again in a minute. Sending them twice does no harm.`,
      );
  }
}

function sentenceOfSilence({ isSilent }: { isSilent: boolean }): string {
  return isSilent
    ? "Our payment service did not answer."
    : "Our payment service answered, but did not say whether it has them.";
}

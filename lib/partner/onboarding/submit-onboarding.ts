import { redirect } from "next/navigation";
import { uuid } from "../../contract/text.ts";
import { type FormState, problemAt } from "../people/form-state.ts";
import { requirePerson } from "../people/session.ts";
import { readClientAddress, requirePartnerListener } from "../sessions/require-partner-listener.ts";
import { startOnboarding } from "./start-onboarding.ts";

/**
 * What the form's server action does: on to the page that waits, or which fields to look at.
 * @param idempotencyKey made by the form, one for each set of answers
 */
export async function submitOnboarding(input: unknown, idempotencyKey: unknown): Promise<FormState> {
  await requirePartnerListener();
  const person = await requirePerson({ role: "seller", returnTo: "/onboarding" });
  const key = uuid.safeParse(idempotencyKey);
  if (!key.success) return problemAt("form", "This page is out of date. Please load it again.");

  const clientAddress = await readClientAddress();
  const started = await startOnboarding(person, input, { idempotencyKey: key.data, clientAddress });
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

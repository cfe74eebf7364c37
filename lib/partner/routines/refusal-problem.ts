import type { ReauthorizationRequired, Refused } from "#client";
import { brandName } from "../../../brand/name.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { paymentFields } from "./payment-fields.ts";

const refused = `The service refused this payment, and no money was sent. Its reason is in ${brandName}'s log.`;

/** A refused payment in the operator's words, at the field that can fix it. */
export function refusalProblem(refusal: Refused | ReauthorizationRequired): FormState {
  if (refusal.kind === "reauthorization_required") {
    return problemAt("form", "The business isn't connected. Connect it first, then pay.", {
      link: { href: "/business", label: "Go to the business" },
    });
  }
  if (refusal.status === 429)
    return problemAt("form", "The service is busy, and no money was sent. Please try again in a minute.");
  switch (refusal.reason) {
    case "validation_failed":
      return fieldProblems(refusal);
    case "insufficient_funds":
      return problemAt("amount", "The account doesn't have this much available.");
    case "instrument_not_usable":
      return problemAt("seller_user_id", "One of the two accounts is closed. Choose another seller or account.");
    case "not_found":
      return problemAt(
        "seller_user_id",
        "The service no longer has one of the two accounts. Choose another seller or account.",
      );
    case "user_not_approved":
      return problemAt("form", "The business isn't approved to send money right now.");
    default:
      return problemAt("form", refused);
  }
}

// The destination is the seller's account. Fields that the form doesn't have can't be fixed there.
function fieldProblems({ errors }: Refused): FormState {
  const message = "The service didn't accept this answer. Please check it.";
  const fields = errors.map(({ field }) => (field === "destination_id" ? "seller_user_id" : field));
  const problems = [...new Set(fields)]
    .filter((field) => field in paymentFields.shape)
    .map((field) => ({ field, message }));
  return problems.length > 0 ? { problems } : problemAt("form", refused);
}

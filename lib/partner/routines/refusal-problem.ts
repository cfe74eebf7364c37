import type { ReauthorizationRequired, Refused } from "#client";
import { brandName } from "../../../brand/name.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { paymentFields } from "./payment-fields.ts";

const refused = `The service refused this payment, and no money was sent. Its reason is in ${brandName}'s log.`;

/** A refusal of the service in the operator's words, beside the field where it can be put right. */
export function refusalProblem(refusal: Refused | ReauthorizationRequired): FormState {
  if (refusal.kind === "reauthorization_required") {
    return {
      ...problemAt("form", "The business is not connected. Connect it first, then pay."),
      link: { href: "/business", label: "Go to the business" },
    };
  }
  if (refusal.status === 429)
    return problemAt("form", "The service is busy, and no money was sent. Please try again in a minute.");
  switch (refusal.reason) {
    case "validation_failed":
      return problemOfFields(refusal);
    case "insufficient_funds":
      return problemAt("amount", "The account does not have this much available.");
    case "instrument_not_usable":
      return problemAt("seller_user_id", "One of the two accounts is closed. Choose another seller or account.");
    case "not_found":
      return problemAt(
        "seller_user_id",
        "The service no longer has one of the two accounts. Choose another seller or account.",
      );
    case "user_not_approved":
      return problemAt("form", "The business is not approved to send money right now.");
    default:
      return problemAt("form", refused);
  }
}

// The service's own sentences are for developers. The destination is the seller's account. What else the form does not ask, nobody could put right.
function problemOfFields({ errors }: Refused): FormState {
  const message = "The service did not accept this answer. Please check it.";
  const fields = errors.map(({ field }) => (field === "destination_id" ? "seller_user_id" : field));
  const problems = [...new Set(fields)]
    .filter((field) => field in paymentFields.shape)
    .map((field) => ({ field, message }));
  return problems.length > 0 ? { problems } : problemAt("form", refused);
}

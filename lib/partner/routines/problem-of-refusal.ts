import { type FormState, problemAt } from "../requests/form-state.ts";
import type { Refused } from "../service-client/call-service.ts";
import type { ReauthorizationRequired } from "../tokens/refresh-access-token.ts";
import { paymentFields } from "./payment-fields.ts";

/** A refusal of the service in the operator's words, beside the field where it can be put right. */
export function problemOfRefusal(refusal: Refused | ReauthorizationRequired): FormState {
  if (refusal.kind === "reauthorization_required") {
    return {
      ...problemAt("form", "The business is not connected. Connect it, then pay."),
      link: { href: "/business", label: "Go to the business" },
    };
  }
  if (refusal.status === 429)
    return problemAt("form", "The service is busy. Nothing was paid; please try again in a minute.");
  switch (refusal.reason) {
    case "validation_failed":
      return problemOfFields(refusal);
    case "insufficient_funds":
      return problemAt("amount", "The account does not have this much available.");
    case "instrument_not_usable":
      return problemAt("seller_user_id", "One of the two accounts is closed. Choose another seller or account.");
    case "not_found":
      return problemAt("seller_user_id", "The service does not know one of the two accounts any more.");
    case "user_not_approved":
      return problemAt("form", "The business is not approved to send money at the moment.");
    default:
      return problemAt("form", "The service refused this payment, and nothing was sent. Its reason is in the log.");
  }
}

// The destination is the seller's account. What else the form does not ask, nobody could put right.
function problemOfFields({ errors, description }: Refused): FormState {
  const problems = errors
    .map(({ field, message }) => ({ field: field === "destination_id" ? "seller_user_id" : field, message }))
    .filter(({ field }) => field in paymentFields.shape);
  return problems.length > 0 ? { problems } : problemAt("form", description);
}

import { decisionOf, type Unsuccessful } from "#client";
import { brandName } from "../../../brand/name.ts";

/** Why an authorization could not begin, in a sentence for the person who pressed the button. */
export function sentenceOfTrouble(trouble: Unsuccessful): string {
  if (trouble.kind === "unreachable") return "Our payment service did not answer. Please try again in a minute.";
  if (trouble.kind === "unreadable") {
    return "We could not read the answer of our payment service. Please contact us.";
  }
  if (trouble.reason === "customer_endpoint_failed") {
    return `Our payment service could not confirm with ${brandName} who you are. Please contact us.`;
  }
  if (decisionOf(trouble) !== "definite") {
    return "Our payment service cannot do this right now. Please try again in a minute.";
  }
  if (trouble.reason === "customer_mismatch") {
    return "The phone number at our payment service is not the one you sign in with here. Please contact us.";
  }
  return "Our payment service did not open its pages for you. Please contact us.";
}

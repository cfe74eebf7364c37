import type { Refused, Unreachable } from "../service-client/call-service.ts";

/** Why an authorization could not begin, in a sentence for the person who pressed the button. */
export function sentenceOfTrouble(trouble: Refused | Unreachable): string {
  if (trouble.kind === "unreachable" || trouble.status >= 429) {
    return "Our payment service did not answer. Please try again in a minute.";
  }
  if (trouble.reason === "customer_mismatch") {
    return "The phone number at our payment service is not the one you sign in with here. Please contact us.";
  }
  return "Our payment service would not open its pages for you. Please contact us.";
}

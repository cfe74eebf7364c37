import { decisionOf, type Unsuccessful } from "#client";
import { brandName } from "../../../brand/name.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";

/** Every way in which coming back from the service can fail; each has a page with one way forward. */
export const callbackProblems = [
  "denied",
  "expired_code",
  "unknown_attempt",
  "missing_state",
  "wrong_issuer",
  "other_person",
  "other_user",
  "unavailable",
  "not_now",
  "not_understood",
  "failed",
] as const;
export type CallbackProblem = (typeof callbackProblems)[number];

/** Whether the text is one of ours: it comes back from an address, where anybody can write anything. */
export function isCallbackProblem(text: unknown): text is CallbackProblem {
  return callbackProblems.some((problem) => problem === text);
}

/** What to tell of an answer that cannot be worked with; that the service did not answer is said only where nothing came. */
export function problemOfAnswer(answer: Unsuccessful): CallbackProblem {
  if (answer.kind === "unreachable") return "unavailable";
  if (answer.kind === "unreadable") return "not_understood";
  return decisionOf(answer) === "definite" ? "failed" : "not_now";
}

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

/** Where a person can begin an authorization anew, and what the link there says. */
export async function wayForward(
  partner: Partner,
  person: Person | undefined,
): Promise<{ href: string; label: string }> {
  if (!person) return { href: "/sign-in", label: "Sign in" };
  if (person.role === "operator") return { href: "/business", label: "Back to the business" };
  const user = await findServiceUserOfPerson(partner.db, person.id);
  return user
    ? { href: "/dashboard", label: "Back to your dashboard" }
    : { href: "/onboarding/status", label: "Back to your payment account" };
}

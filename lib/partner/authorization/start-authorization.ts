import { cookies } from "next/headers";
import type { AuthorizationSubject, Unsuccessful } from "#client";
import type { Partner } from "../partner.ts";
import { ownPath } from "../requests/own-path.ts";
import { findOpenOnboarding } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { openAuthorization } from "./open-authorization.ts";
import { type PendingAuthorization, rememberAuthorization } from "./pending-authorization.ts";

/** Where to send the browser, or why not: `not_onboarded` when the person has no user intent yet. */
export type StartedAuthorization = { kind: "ok"; address: string } | { kind: "not_onboarded" } | Unsuccessful;

/**
 * Begins an authorization for a signed-in person, or by an operator for the business. Sets this browser's cookie, so it
 * belongs in a server action, which then redirects to the address.
 */
export async function startAuthorization(
  partner: Partner,
  {
    person,
    purpose,
    returnTo,
  }: {
    person: Person;
    purpose: PendingAuthorization["purpose"];
    returnTo: string;
  },
): Promise<StartedAuthorization> {
  const subject =
    purpose === "business" ? { user_id: partner.config.businessUserId } : await subjectOf(partner, person);
  if (!subject) return { kind: "not_onboarded" };
  const fallback = purpose === "business" ? "/business" : "/dashboard";
  const opened = await openAuthorization(partner, {
    personId: person.id,
    purpose,
    subject,
    returnTo: ownPath(returnTo, fallback),
  });
  if (opened.kind !== "ok") return opened;
  await rememberAuthorization(partner, await cookies(), opened.pending);
  return { kind: "ok", address: opened.address };
}

// The published rule: by the intent until the service's user is known, by the user from then on.
async function subjectOf(partner: Partner, person: Person): Promise<AuthorizationSubject | undefined> {
  const user = await findServiceUserOfPerson(partner.db, person.id);
  if (user) return { user_id: user.id };
  const onboarding = await findOpenOnboarding(partner.db, person.id);
  return onboarding?.userIntentId ? { user_intent_id: onboarding.userIntentId } : undefined;
}

import { createHash } from "node:crypto";
import type { CookieStore } from "iron-session";
import * as z from "zod/mini";
import { type AuthorizationSubject, decisionOf, type Unsuccessful } from "#client";
import { brandName } from "../../../brand/name.ts";
import { newSecret } from "../../kit/secrets.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { ownPath, returnToField } from "../requests/form-fields.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import { findOpenOnboarding } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { callbackAddress, type PendingAuthorization, rememberAuthorization } from "./pending-authorization.ts";

/** What the business's button sends: the page that it stands on. */
export const authorizeBusinessFields = z.object({ return_to: returnToField });

/** A seller's way to the service's pages and back to the dashboard, or why that is not possible now. */
export function submitSellerAuthorization(
  partner: Partner,
  _fields: unknown,
  person: Person,
  { cookies }: Browser,
): Promise<ActionResult> {
  return redirectToService(partner, { person, purpose: "seller", returnTo: "/dashboard", cookies });
}

/** An operator's way to the service's pages, for the business, and back to where they were. */
export function submitBusinessAuthorization(
  partner: Partner,
  { return_to }: z.output<typeof authorizeBusinessFields>,
  person: Person,
  { cookies }: Browser,
): Promise<ActionResult> {
  return redirectToService(partner, { person, purpose: "business", returnTo: return_to || "/business", cookies });
}

async function redirectToService(
  partner: Partner,
  request: Parameters<typeof startAuthorization>[1],
): Promise<ActionResult> {
  const started = await startAuthorization(partner, request);
  if (started.kind === "ok") return { redirectTo: started.address };
  if (started.kind === "not_onboarded") return { redirectTo: "/onboarding" };
  return problemAt("form", startProblem(started));
}

/** Why an authorization could not begin, in a sentence for the person who pressed the button. */
export function startProblem(trouble: Unsuccessful): string {
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
    cookies,
  }: {
    person: Person;
    purpose: PendingAuthorization["purpose"];
    returnTo: string;
    cookies: CookieStore;
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
  await rememberAuthorization(partner, cookies, opened.pending);
  return { kind: "ok", address: opened.address };
}

// The published rule: by the intent until the service's user is known, by the user from then on.
async function subjectOf(partner: Partner, person: Person): Promise<AuthorizationSubject | undefined> {
  const user = await findServiceUserOfPerson(partner.db, person.id);
  if (user) return { user_id: user.id };
  const onboarding = await findOpenOnboarding(partner.db, person.id);
  return onboarding?.userIntentId ? { user_intent_id: onboarding.userIntentId } : undefined;
}

/** Who goes to the authorization pages, for a seller's connection or the business's, and where at Harbor they come back to. */
export type AuthorizationRequest = {
  personId: string;
  purpose: PendingAuthorization["purpose"];
  subject: AuthorizationSubject;
  returnTo: string;
};

/** The address to send the browser to and what to remember meanwhile, or why the service will not have this person now. */
export type OpenedAuthorization = { kind: "ok"; address: string; pending: PendingAuthorization } | Unsuccessful;

/**
 * Prepares one visit to the service's authorization pages: mints the one-time token that says who comes, and draws state
 * and PKCE verifier, which never leave this browser's cookie and us.
 */
export async function openAuthorization(partner: Partner, request: AuthorizationRequest): Promise<OpenedAuthorization> {
  const { personId, purpose, subject, returnTo } = request;
  const traceId = newTraceId();
  const minted = await partner.client.createIdentityVerificationToken({ customerId: personId, subject }, { traceId });
  if (minted.kind !== "ok") return minted;

  const pending: PendingAuthorization = {
    state: newSecret(""),
    codeVerifier: newSecret(""),
    personId,
    purpose,
    expectedUserId: "user_id" in subject ? subject.user_id : undefined,
    returnTo,
    traceId,
  };
  return { kind: "ok", address: authorizationAddress(partner, minted.body.token, subject, pending), pending };
}

function authorizationAddress(
  partner: Partner,
  sessionToken: string,
  subject: AuthorizationSubject,
  pending: PendingAuthorization,
) {
  const { serviceAuthUrl, clientId, isStateUsed, isCodeChallengeUsed } = partner.config;
  const address = new URL(`${serviceAuthUrl}/login/oauth/authorize`);
  address.search = new URLSearchParams({
    session_token: sessionToken,
    ...subject,
    client_id: clientId,
    redirect_uri: callbackAddress(partner),
    response_type: "code",
    // Decision D9: beyond the published parameters, so each can be left out (Decision D18).
    ...(isStateUsed && { state: pending.state }),
    ...(isCodeChallengeUsed && {
      code_challenge: createHash("sha256").update(pending.codeVerifier).digest("base64url"),
      code_challenge_method: "S256",
    }),
  }).toString();
  return address.href;
}

import { createHash } from "node:crypto";
import type { CookieStore } from "iron-session";
import * as z from "zod/mini";
import { type Answer, type AuthorizationSubject, decisionOf, type Unsuccessful } from "#client";
import { log } from "../../kit/log.ts";
import { newSecret } from "../../kit/secrets.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { returnToField } from "../requests/form-fields.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import { findOpenOnboarding, forgetIntent } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson, unlinkPerson } from "../storage/service-users.ts";
import { words } from "../words/words.ts";
import { callbackAddress, type PendingAuthorization, rememberAuthorization } from "./finish-authorization.ts";

export const authorizeBusinessFields = z.object({ return_to: returnToField });

export function submitSellerAuthorization(
  partner: Partner,
  _fields: unknown,
  person: Person,
  { cookies }: Browser,
): Promise<ActionResult> {
  return startAuthorization(partner, { person, purpose: "seller", returnTo: "/dashboard", cookies });
}

export function submitBusinessAuthorization(
  partner: Partner,
  { return_to }: z.output<typeof authorizeBusinessFields>,
  person: Person,
  { cookies }: Browser,
): Promise<ActionResult> {
  return startAuthorization(partner, { person, purpose: "business", returnTo: return_to || "/business", cookies });
}

type AuthorizationStart = {
  person: Person;
  purpose: PendingAuthorization["purpose"];
  returnTo: string;
  cookies: CookieStore;
  /** The service lost what Harbor named at first. */
  isLost?: boolean;
};

async function startAuthorization(partner: Partner, start: AuthorizationStart): Promise<ActionResult> {
  const { person, purpose, returnTo, cookies, isLost = false } = start;
  const subject = await subjectOf(partner, person, purpose);
  if (!subject) return { redirectTo: isLost ? "/onboarding?lost=1" : "/onboarding" };
  const opened = await openAuthorization(partner, { personId: person.id, purpose, subject, returnTo });
  if (opened.kind === "ok") {
    await rememberAuthorization(partner, cookies, opened.pending);
    return { redirectTo: opened.address };
  }
  if (purpose === "seller" && isNotFound(opened) && (await forgetIfLost(partner, subject))) {
    return startAuthorization(partner, { ...start, isLost: true });
  }
  return problemAt("form", startProblem(opened));
}

// The published rule: name the intent until the service's user is known, then the user.
async function subjectOf(
  partner: Partner,
  person: Person,
  purpose: PendingAuthorization["purpose"],
): Promise<AuthorizationSubject | undefined> {
  if (purpose === "business") return { user_id: partner.config.businessUserId };
  const user = await findServiceUserOfPerson(partner.db, person.id);
  if (user) return { user_id: user.id };
  const onboarding = await findOpenOnboarding(partner.db, person.id);
  return onboarding?.userIntentId ? { user_intent_id: onboarding.userIntentId } : undefined;
}

/** Forgets an intent or a user that the service no longer has, because it was restored from a backup. */
async function forgetIfLost(partner: Partner, subject: AuthorizationSubject): Promise<boolean> {
  // At a wrong address, everything is missing, or any path answers with a page.
  const metadata = await partner.client.readAuthorizationServerMetadata({ traceId: newTraceId() });
  if (metadata.kind !== "ok" || metadata.body.issuer === undefined) return false;
  if ("user_id" in subject) {
    // A user whose tokens work isn't lost.
    const read = await partner.tokens.call(subject.user_id, partner.client.readUser);
    if (read.kind !== "reauthorization_required") return false;
    log().warn({ serviceUserId: subject.user_id }, "the service no longer has a person's user");
    await unlinkPerson(partner.db, subject.user_id);
    return true;
  }
  const read = await partner.client.readUserIntent(subject.user_intent_id, { traceId: newTraceId() });
  if (!isNotFound(read)) return false;
  log().warn({ userIntentId: subject.user_intent_id }, "the service no longer has a person's intent");
  await forgetIntent(partner.db, subject.user_intent_id);
  return true;
}

function isNotFound(answer: Answer<unknown>): boolean {
  return answer.kind === "refused" && answer.status === 404 && answer.reason === "not_found";
}

export type AuthorizationRequest = {
  personId: string;
  purpose: PendingAuthorization["purpose"];
  subject: AuthorizationSubject;
  returnTo: string;
};

export type OpenedAuthorization = { kind: "ok"; address: string; pending: PendingAuthorization } | Unsuccessful;

/** Prepares one visit to the authorization pages: mints the session token, and generates state and PKCE verifier. */
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
    // Not among the published parameters (Decision D9), so each can be left out (Decision D18).
    ...(isStateUsed && { state: pending.state }),
    ...(isCodeChallengeUsed && {
      code_challenge: createHash("sha256").update(pending.codeVerifier).digest("base64url"),
      code_challenge_method: "S256",
    }),
  }).toString();
  return address.href;
}

/** Why an authorization couldn't start, in words for the person who pressed the button. */
export function startProblem(trouble: Unsuccessful): string {
  const t = words("authorize");
  if (trouble.kind === "unreachable") return t("unreachable");
  if (trouble.kind === "unreadable") return t("unreadable");
  if (trouble.reason === "customer_endpoint_failed") return t("customerEndpoint");
  if (decisionOf(trouble) !== "definite") return t("notNow");
  return t(trouble.reason === "customer_mismatch" ? "otherPhone" : "refused");
}

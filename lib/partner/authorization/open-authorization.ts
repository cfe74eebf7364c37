import { createHash } from "node:crypto";
import type { AuthorizationSubject, Unsuccessful } from "#client";
import { newSecret } from "../../kit/secrets.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import type { PendingAuthorization } from "./pending-authorization.ts";

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

/** Our registered redirect_uri, to be sent character for character the same each time. */
export function callbackAddress(partner: Partner): string {
  return `${partner.config.baseUrl}/callback`;
}

import { type IdentityVerificationToken, identityVerificationToken } from "../../contract/identity-verification.ts";
import { partnerConfig } from "../config.ts";
import { type Answer, type CallOptions, callService } from "./call-service.ts";
import { asClient } from "./credentials.ts";

/** Whom an authorization is for: by the intent's id until the service's user id is known, by the user's id from then on. */
export type AuthorizationSubject = { user_intent_id: string } | { user_id: string };

/**
 * Mints the one-time token, good for one minute, that opens the authorization pages. The service asks our customer
 * endpoint about `customerId` before it answers.
 */
export function createIdentityVerificationToken(
  { customerId, subject }: { customerId: string; subject: AuthorizationSubject },
  options: CallOptions = {},
): Promise<Answer<IdentityVerificationToken>> {
  return callService({
    method: "POST",
    path: "/v1/partner/identity/verification",
    authorization: asClient(),
    body: { provider: partnerConfig().provider, provider_data: { customer_id: customerId }, ...subject },
    schema: identityVerificationToken,
    ...options,
  });
}

import * as z from "zod/mini";
import type { Answer } from "./answer.ts";
import type { CallOptions, CallService } from "./call-service.ts";
import { type Read, recordOf } from "./reading.ts";

/** Whom an authorization is for: by the intent's id until the service's user id is known, by the user's id from then on. */
export type AuthorizationSubject = { user_intent_id: string } | { user_id: string };

const readToken: Read<{ token: string }> = recordOf({ token: z.string().check(z.minLength(1)) });

/** The calls about trusted authentication. */
export function identityVerificationCalls(call: CallService, authorization: string, provider: string) {
  return {
    /**
     * Mints the one-time token, good for one minute, that opens the authorization pages. The service asks our customer
     * endpoint about `customerId` before it answers.
     */
    createIdentityVerificationToken: (
      { customerId, subject }: { customerId: string; subject: AuthorizationSubject },
      options: CallOptions = {},
    ): Promise<Answer<{ token: string }>> =>
      call({
        method: "POST",
        path: "/v1/partner/identity/verification",
        authorization,
        body: { provider, provider_data: { customer_id: customerId }, ...subject },
        read: readToken,
        ...options,
      }),
  };
}

import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { uuid } from "./text.ts";
import { wireFacts } from "./wire-facts.ts";

/** Body of `POST /v1/partner/identity/verification`: exactly one of user_id and user_intent_id. */
export const identityVerificationRequest = z
  .strictObject({
    provider: z.string().check(z.minLength(1), z.maxLength(limits.providerCharactersMax)),
    provider_data: z.strictObject({
      // One encoded path segment of the customer endpoint, so the two that a URL would fold away are refused (Decision D11).
      customer_id: z.string().check(
        z.minLength(1),
        z.maxLength(limits.customerIdCharactersMax),
        z.refine((value) => value !== "." && value !== ".." && value.isWellFormed(), "Must be a plain identifier."),
      ),
    }),
    user_id: z.optional(uuid),
    user_intent_id: z.optional(uuid),
  })
  .check(
    z.refine((body) => (body.user_id === undefined) !== (body.user_intent_id === undefined), {
      message: "Send either user_id or user_intent_id, not both.",
      path: ["user_id"],
    }),
  );
wireFacts.add(identityVerificationRequest, {
  oneOf: [{ required: ["user_id"] }, { required: ["user_intent_id"] }],
});
export type IdentityVerificationRequest = z.infer<typeof identityVerificationRequest>;

/** The answer; `expires_at` and `trusted` are ours (Decision D11), so a partner must not need them. */
export const identityVerificationToken = z.object({
  token: z.string(),
  expires_at: z.optional(z.string()),
  trusted: z.optional(z.boolean()),
});
export type IdentityVerificationToken = z.infer<typeof identityVerificationToken>;

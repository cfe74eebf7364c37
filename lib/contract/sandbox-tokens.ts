import * as z from "zod/mini";
import { identifier, timestamp, word } from "./text.ts";

/** What is issued to a client or a person and ends by itself. */
export const tokenKinds = [
  "access_token",
  "refresh_token",
  "authorization_code",
  "identity_verification_token",
] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** What can be done with a token now: one that is not live says why. Of several reasons the first of revoked, spent, expired, superseded counts. */
export const tokenStates = ["live", "superseded", "expired", "spent", "revoked"] as const;
export type TokenState = (typeof tokenStates)[number];

/**
 * Answer to `GET /sandbox/tokens`: the newest tokens and codes (`limits.pageSizeMax` of each kind), newest first. `token` is the
 * fingerprint that events show too; nothing here can be used as a token. `user_id` is null of an identity verification token
 * that names an intent. `now` is the time of the client's clock, by which they end. Decision D16
 */
export const tokenList = z.object({
  now: timestamp,
  tokens: z.array(
    z.object({
      kind: word(tokenKinds),
      token: z.string(),
      state: word(tokenStates),
      user_id: z.nullable(identifier),
      user_intent_id: z.nullable(identifier),
      created_at: timestamp,
      expires_at: timestamp,
    }),
  ),
});
export type TokenList = z.infer<typeof tokenList>;

/** Body of `POST /sandbox/users/{id}/tokens/expire`: which of the user's live tokens end now, as if their time were over. */
export const tokenExpiry = z.strictObject({ kind: z.enum(["access_token", "refresh_token"]) });

/** Answer to `POST /sandbox/users/{id}/tokens/expire` and `…/revoke`: how many live access and refresh tokens ended by it. */
export const endedTokens = z.object({ ended: z.number() });

/**
 * Answer to `GET /sandbox/idempotency_keys`: the newest keys (`limits.pageSizeMax`), newest first, each with what it stands
 * for: a resource, or nothing for good since `voided_at`.
 * `fingerprint` is what events show in place of the key. Decision D16
 */
export const idempotencyKeyList = z.object({
  idempotency_keys: z.array(
    z.object({
      key: z.string(),
      fingerprint: z.string(),
      operation: z.string(),
      user_id: z.nullable(identifier),
      resource_id: z.nullable(identifier),
      created_at: timestamp,
      voided_at: z.nullable(timestamp),
    }),
  ),
});
export type IdempotencyKeyList = z.infer<typeof idempotencyKeyList>;

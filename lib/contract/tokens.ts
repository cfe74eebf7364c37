import * as z from "zod/mini";

/** Answer to `POST /v1/oauth/token` (RFC 6749 section 5.1); `expires_in` is in seconds. Decision D10 */
export const tokenPair = z.object({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.number(),
  refresh_token: z.string(),
});
export type TokenPair = z.infer<typeof tokenPair>;

/** 43 to 128 unreserved characters (RFC 7636 section 4.1). */
export const codeVerifier = z.string().check(z.regex(/^[A-Za-z0-9\-._~]{43,128}$/));
/** The base64url SHA-256 of a verifier: always 43 characters (RFC 7636 section 4.2). */
export const codeChallenge = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/));

/** What a partner reads of `GET /.well-known/oauth-authorization-server` (RFC 8414, RFC 9207). */
export const authorizationServerMetadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.optional(z.string()),
  token_endpoint: z.optional(z.string()),
  revocation_endpoint: z.optional(z.string()),
  authorization_response_iss_parameter_supported: z.optional(z.boolean()),
});
export type AuthorizationServerMetadata = z.infer<typeof authorizationServerMetadata>;

import * as z from "zod/mini";

/** RFC 6749 section 5.1; `expires_in` is in seconds. Decision D10 */
export const tokenPair = z.object({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.number(),
  refresh_token: z.string(),
});
export type TokenPair = z.infer<typeof tokenPair>;

/** Sent as a form or JSON; unknown parameters are ignored. */
export const authorizationCodeGrant = z.object({
  grant_type: z.literal("authorization_code"),
  code: z.string(),
  redirect_uri: z.string(),
  code_verifier: z.optional(z.string()),
  client_id: z.optional(z.string()),
  client_secret: z.optional(z.string()),
});

export const refreshTokenGrant = z.object({
  grant_type: z.literal("refresh_token"),
  refresh_token: z.string(),
  client_id: z.optional(z.string()),
  client_secret: z.optional(z.string()),
});

export const tokenGrant = z.union([authorizationCodeGrant, refreshTokenGrant]);

/** RFC 7009: any live token of the pair. */
export const revocation = z.object({
  token: z.string(),
  token_type_hint: z.optional(z.string()),
  client_id: z.optional(z.string()),
  client_secret: z.optional(z.string()),
});

/** 43 to 128 unreserved characters (RFC 7636 section 4.1). */
export const codeVerifier = z.string().check(z.regex(/^[A-Za-z0-9\-._~]{43,128}$/));
/** The base64url SHA-256 of a verifier (RFC 7636 section 4.2). */
export const codeChallenge = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/));

/** RFC 8414 and RFC 9207; a partner needs only the issuer. */
export const authorizationServerMetadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.optional(z.string()),
  token_endpoint: z.optional(z.string()),
  revocation_endpoint: z.optional(z.string()),
  response_types_supported: z.optional(z.array(z.string())),
  response_modes_supported: z.optional(z.array(z.string())),
  grant_types_supported: z.optional(z.array(z.string())),
  token_endpoint_auth_methods_supported: z.optional(z.array(z.string())),
  revocation_endpoint_auth_methods_supported: z.optional(z.array(z.string())),
  code_challenge_methods_supported: z.optional(z.array(z.string())),
  authorization_response_iss_parameter_supported: z.optional(z.boolean()),
});

import * as z from "zod/mini";
import { type TokenPair, tokenPair } from "../../contract/tokens.ts";
import { type Answer, type CallOptions, callService } from "./call-service.ts";
import { asClient } from "./credentials.ts";

/** Spends an authorization code for the user's first token pair. A code that was refused once is gone: authorize again. */
export function exchangeCode(
  { code, redirectUri, codeVerifier }: { code: string; redirectUri: string; codeVerifier: string },
  options: CallOptions = {},
): Promise<Answer<TokenPair>> {
  const body = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: codeVerifier };
  return callService({ ...tokenCall, authorization: asClient(), body, schema: tokenPair, ...options });
}

/** Gets the next token pair, which ends the current access token. Call it through `lib/partner/tokens`, which takes turns. */
export function refreshTokens(refreshToken: string, options: CallOptions = {}): Promise<Answer<TokenPair>> {
  const body = { grant_type: "refresh_token", refresh_token: refreshToken };
  return callService({ ...tokenCall, authorization: asClient(), body, schema: tokenPair, ...options });
}

/** Ends every authorization of this token's user with us (RFC 7009); an unknown token is fine too. Decision D10 */
export function revokeTokens(token: string, options: CallOptions = {}): Promise<Answer<unknown>> {
  return callService({
    method: "POST",
    path: "/v1/oauth/revoke",
    authorization: asClient(),
    body: { token },
    schema: z.unknown(),
    ...options,
  });
}

const tokenCall = { method: "POST", path: "/v1/oauth/token" } as const;

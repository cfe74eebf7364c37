import * as z from "zod/mini";
import type { Answer } from "./answer.ts";
import type { Call, CallOptions, CallService } from "./call-service.ts";
import { flag, optional, plainText, type Read, recordOf } from "./reading.ts";

/** Who authorizes: the user once its id is known, until then the intent. */
export type AuthorizationSubject = { user_intent_id: string } | { user_id: string };

const readToken: Read<{ token: string }> = recordOf({ token: z.string().check(z.minLength(1)) });

/** Calls for trusted authentication. */
export function identityVerificationCalls(call: CallService, authorization: string, provider: string) {
  return {
    /**
     * Mints the one-time token, good for one minute, that opens the authorization pages. The service looks up
     * `customerId` at our customer endpoint before it answers.
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

/**
 * The part of the metadata document that we use (RFC 8414, RFC 9207): its issuer, without which it isn't such a document, and
 * whether the callback names it.
 */
export type AuthorizationServer = {
  issuer?: string | undefined;
  authorization_response_iss_parameter_supported?: boolean | undefined;
};

const readMetadata: Read<AuthorizationServer> = recordOf({
  issuer: optional(plainText),
  authorization_response_iss_parameter_supported: optional(flag),
});

export function authorizationServerCalls(call: CallService) {
  return {
    /** The service's OAuth metadata. Not published, so a service may refuse. Decision D10 */
    readAuthorizationServerMetadata: (options: CallOptions = {}): Promise<Answer<AuthorizationServer>> =>
      call({ method: "GET", path: "/.well-known/oauth-authorization-server", read: readMetadata, ...options }),
  };
}

/** A user's tokens; `expires_in` is the access token's lifetime in seconds. */
export type TokenPair = { access_token: string; refresh_token: string; expires_in: number };

/** The published lifetimes. */
export const lifetimes = { accessTokenSeconds: 2 * 60 * 60, refreshTokenSeconds: 10 * 24 * 60 * 60 };

// RFC 6749 appendix A. Otherwise fetch would refuse the header, in an error that quotes the token.
const token = z.string().check(z.regex(/^[\x20-\x7e]+$/));
// A missing or unreadable lifetime defaults to the published one.
const seconds = z.catch(
  z.pipe(
    z.union([z.number(), z.string().check(z.regex(/^\d+(\.\d+)?$/))]),
    z.transform((value) => Math.min(Math.max(Math.floor(Number(value)), 0), lifetimes.refreshTokenSeconds)),
  ),
  lifetimes.accessTokenSeconds,
);
const readPair: Read<TokenPair> = recordOf({ access_token: token, refresh_token: token, expires_in: seconds });
const readNothing: Read<undefined> = () => ({ kind: "ok", body: undefined, notes: [] });

export function tokenCalls(call: CallService, authorization: string) {
  const formPaths = new Set<string>();
  // The media type is not published: RFC 6749 uses a form, our other calls JSON. A 415 has no effect, so we retry with a form.
  async function callOAuth<Body>(oauthCall: Call<Body>): Promise<Answer<Body>> {
    const isForm = formPaths.has(oauthCall.path);
    const answer = await call({ ...oauthCall, isForm });
    if (isForm || answer.kind !== "refused" || answer.status !== 415) return answer;
    formPaths.add(oauthCall.path);
    return call({ ...oauthCall, isForm: true });
  }
  const requestTokens = (body: Record<string, unknown>, options: CallOptions) =>
    callOAuth({ method: "POST", path: "/v1/oauth/token", authorization, body, read: readPair, ...options });
  return {
    /** Exchanges an authorization code for the user's first token pair. A refused code can't be reused: authorize again. */
    exchangeCode: (
      { code, redirectUri, codeVerifier }: { code: string; redirectUri: string; codeVerifier?: string | undefined },
      options: CallOptions = {},
    ): Promise<Answer<TokenPair>> => {
      const body = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: codeVerifier };
      return requestTokens(body, options);
    },

    /** Gets the next token pair, which ends the current access token. Run one refresh per user at a time. */
    refreshTokens: (refreshToken: string, options: CallOptions = {}): Promise<Answer<TokenPair>> =>
      requestTokens({ grant_type: "refresh_token", refresh_token: refreshToken }, options),

    /** Revokes every authorization that this token's user gave us (RFC 7009); an unknown token is fine too. Decision D10 */
    revokeTokens: (token: string, options: CallOptions = {}): Promise<Answer<undefined>> =>
      callOAuth({
        method: "POST",
        path: "/v1/oauth/revoke",
        authorization,
        body: { token },
        read: readNothing,
        ...options,
      }),
  };
}

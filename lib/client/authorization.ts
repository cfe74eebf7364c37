import * as z from "zod/mini";
import type { Answer } from "./answer.ts";
import type { CallOptions, CallService } from "./call-service.ts";
import { flag, optional, type Read, recordOf } from "./reading.ts";

/** Who authorizes: the intent's id until the user's id is known, then the user's. */
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

/** The part of the metadata document that matters here (RFC 8414, RFC 9207): whether the callback names its issuer. */
export type AuthorizationServer = { authorization_response_iss_parameter_supported?: boolean | undefined };

const readMetadata: Read<AuthorizationServer> = recordOf({
  authorization_response_iss_parameter_supported: optional(flag),
});

/** The calls about the authorization server. */
export function authorizationServerCalls(call: CallService) {
  return {
    /** What the service says about its OAuth endpoints. Not published: a service without the document refuses. Decision D10 */
    readAuthorizationServerMetadata: (options: CallOptions = {}): Promise<Answer<AuthorizationServer>> =>
      call({ method: "GET", path: "/.well-known/oauth-authorization-server", read: readMetadata, ...options }),
  };
}

/** A user's tokens; `expires_in` are the seconds that the access token lives. */
export type TokenPair = { access_token: string; refresh_token: string; expires_in: number };

/** The published lifetimes. */
export const lifetimes = { accessTokenSeconds: 2 * 60 * 60, refreshTokenSeconds: 10 * 24 * 60 * 60 };

const token = z.string().check(z.minLength(1));
// Where the answer does not say, the published lifetime counts.
const seconds = z.catch(
  z.pipe(
    z.union([z.number(), z.string().check(z.regex(/^\d+(\.\d+)?$/))]),
    z.transform((value) => Math.min(Math.max(Math.floor(Number(value)), 0), lifetimes.refreshTokenSeconds)),
  ),
  lifetimes.accessTokenSeconds,
);
const readPair: Read<TokenPair> = recordOf({ access_token: token, refresh_token: token, expires_in: seconds });
const readNothing: Read<undefined> = () => ({ kind: "ok", body: undefined, notes: [] });

/** The calls about tokens. */
export function tokenCalls(call: CallService, authorization: string) {
  let isForm = false;
  // The media type is not published. RFC 6749 has a form, everything else here is JSON; a 415 means that nothing was done.
  async function askForTokens(body: Record<string, unknown>, options: CallOptions): Promise<Answer<TokenPair>> {
    const tokenCall = { method: "POST", path: "/v1/oauth/token", authorization, body, read: readPair } as const;
    const answer = await call({ ...tokenCall, ...options, isForm });
    if (isForm || answer.kind !== "refused" || answer.status !== 415) return answer;
    isForm = true;
    return call({ ...tokenCall, ...options, isForm });
  }
  return {
    /** Spends an authorization code for the user's first token pair. A code that was refused once is gone: authorize again. */
    exchangeCode: (
      { code, redirectUri, codeVerifier }: { code: string; redirectUri: string; codeVerifier?: string | undefined },
      options: CallOptions = {},
    ): Promise<Answer<TokenPair>> => {
      const body = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: codeVerifier };
      return askForTokens(body, options);
    },

    /** Gets the next token pair, which ends the current access token. Let one refresh of a user at a time be under way. */
    refreshTokens: (refreshToken: string, options: CallOptions = {}): Promise<Answer<TokenPair>> =>
      askForTokens({ grant_type: "refresh_token", refresh_token: refreshToken }, options),

    /** Ends every authorization of this token's user with us (RFC 7009); an unknown token is fine too. Decision D10 */
    revokeTokens: (token: string, options: CallOptions = {}): Promise<Answer<undefined>> =>
      call({ method: "POST", path: "/v1/oauth/revoke", authorization, body: { token }, read: readNothing, ...options }),
  };
}

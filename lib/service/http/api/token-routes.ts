import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import {
  authorizationServerMetadata,
  revocation,
  type TokenPair,
  tokenGrant,
  tokenPair,
} from "../../../contract/tokens.ts";
import { serviceConfig } from "../../config.ts";
import type { Client } from "../../operations/tokens/authenticate.ts";
import {
  exchangeAuthorizationCode,
  refreshTokens,
  revokeAuthorizations,
  type TokenGrant,
} from "../../operations/tokens/grant-tokens.ts";
import type { Reply } from "../frame/answer-request.ts";
import { defineRoute, type Route } from "../frame/define-route.ts";
import { type Refusal, refuse } from "../frame/refusal.ts";

// A parameter without a value counts as omitted; unknown ones are ignored (RFC 6749 section 3.1).
const parameter = z.optional(
  z.pipe(
    z.string(),
    z.transform((text: string) => text || undefined),
  ),
);
// Declared only to be refused: authentication has already removed a valid secret (Decision D2).
const credentials = { client_id: parameter, client_secret: parameter, client_assertion: parameter };

const tokenRequest = z.object({
  ...credentials,
  grant_type: parameter,
  code: parameter,
  redirect_uri: parameter,
  code_verifier: parameter,
  refresh_token: parameter,
});
type TokenRequest = z.output<typeof tokenRequest>;

const issueTokens = defineRoute({
  operation: "issueTokens",
  method: "POST",
  path: "/v1/oauth/token",
  who: "client",
  isOAuth: true,
  body: tokenRequest,
  documentation: {
    summary: "Exchange a code, or refresh",
    description: `Accepts a form or JSON; unknown parameters are ignored. A new access token supersedes the previous one at once. A code can be exchanged once, within ${limits.authorizationCodeSeconds / 60} minutes. After that it's \`invalid_grant\`, because it may have leaked from a URL, and the person must authorize again. Refresh tokens can be used again until they expire after ${limits.refreshTokenSeconds / (24 * 60 * 60)} days.`,
    answer: { status: 200, body: tokenPair },
    requestBody: tokenGrant,
    oauthRefusals: ["invalid_grant", "unsupported_grant_type"],
  },
  handle: ({ caller: { client }, body }) => {
    if (hasOtherCredentials(body, client)) return refuseOtherCredentials();
    switch (body.grant_type) {
      case "authorization_code":
        return exchange(body, client);
      case "refresh_token":
        return refresh(body, client);
      case undefined:
        return refuse("invalid_request", { detail: "grant_type is required." });
      default:
        return refuse("unsupported_grant_type");
    }
  },
});

const revokeToken = defineRoute({
  operation: "revokeToken",
  method: "POST",
  path: "/v1/oauth/revoke",
  who: "client",
  isOAuth: true,
  body: z.object({ ...credentials, token: parameter }),
  documentation: {
    summary: "Revoke",
    description:
      "Revokes every authorization of the token's user with this client (RFC 7009). An unknown or expired token gets 200 and revokes nothing.",
    answer: { status: 200 },
    requestBody: revocation,
  },
  handle: async ({ caller: { client }, body }) => {
    if (hasOtherCredentials(body, client)) return refuseOtherCredentials();
    if (!body.token) return refuse("invalid_request", { detail: "token is required." });
    await revokeAuthorizations(body.token, { clientId: client.id });
    return { status: 200, body: undefined };
  },
});

const describeAuthorizationServer = defineRoute({
  operation: "describeAuthorizationServer",
  method: "GET",
  path: "/.well-known/oauth-authorization-server",
  who: "anyone",
  documentation: {
    summary: "Describe the authorization server",
    description: "RFC 8414.",
    answer: { status: 200, body: authorizationServerMetadata },
  },
  handle: () => ({ status: 200, body: presentAuthorizationServer(serviceConfig()) }),
});

export const tokenRoutes: Route[] = [issueTokens, revokeToken, describeAuthorizationServer];

async function exchange(body: TokenRequest, client: Client): Promise<Reply | Refusal> {
  if (!body.code) return refuse("invalid_request", { detail: "code is required." });
  if (!body.redirect_uri) return refuse("invalid_request", { detail: "redirect_uri is required." });
  const presented = { code: body.code, redirectUri: body.redirect_uri, codeVerifier: body.code_verifier };
  return shapeGrant(await exchangeAuthorizationCode(presented, { clientId: client.id }));
}

async function refresh(body: TokenRequest, client: Client): Promise<Reply | Refusal> {
  if (!body.refresh_token) return refuse("invalid_request", { detail: "refresh_token is required." });
  return shapeGrant(await refreshTokens(body.refresh_token, { clientId: client.id }));
}

function shapeGrant(grant: TokenGrant): Reply | Refusal {
  if (grant.kind === "busy") return refuse("unavailable", { cause: "user_held" });
  // The exact problem would help a thief, so it goes only to the log.
  if (grant.kind === "invalid_grant") return refuse("invalid_grant", { cause: grant.cause });
  const body: TokenPair = {
    access_token: grant.accessToken,
    token_type: "Bearer",
    expires_in: limits.accessTokenSeconds,
    refresh_token: grant.refreshToken,
  };
  // RFC 6749 section 5.1 asks for both headers; cache-control is on every answer.
  return { status: 200, body, headers: { pragma: "no-cache" } };
}

function hasOtherCredentials(
  body: { [name in keyof typeof credentials]?: string | undefined },
  client: Client,
): boolean {
  const { client_id = client.id, client_secret, client_assertion } = body;
  return client_secret !== undefined || client_assertion !== undefined || client_id !== client.id;
}

function refuseOtherCredentials(): Refusal {
  return refuse("invalid_request", {
    detail: "Send one credential: the Authorization header, or client_id and client_secret in the body.",
  });
}

const authenticationMethods = ["client_secret_basic", "client_secret_post"];

function presentAuthorizationServer({ baseUrl, authUrl }: { baseUrl: string; authUrl: string }) {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${authUrl}/login/oauth/authorize`,
    token_endpoint: `${baseUrl}/v1/oauth/token`,
    revocation_endpoint: `${baseUrl}/v1/oauth/revoke`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: authenticationMethods,
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

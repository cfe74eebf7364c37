import * as z from "zod/mini";
import { type OAuthErrorCode, oauthErrorStatuses } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import {
  authorizationServerMetadata,
  revocation,
  type TokenPair,
  tokenGrant,
  tokenPair,
} from "../../../contract/tokens.ts";
import { serviceConfig } from "../../config.ts";
import { exchangeAuthorizationCode } from "../../operations/tokens/exchange-authorization-code.ts";
import { refreshTokens } from "../../operations/tokens/refresh-tokens.ts";
import { revokeAuthorizations } from "../../operations/tokens/revoke-authorizations.ts";
import type { TokenGrant } from "../../operations/tokens/token-grant.ts";
import type { Client } from "../../storage/clients.ts";
import type { Reply } from "../frame/answer-request.ts";
import { defineRoute, type Route } from "../frame/define-route.ts";
import { type Refusal, refuseBusy } from "../frame/refusal.ts";

// A parameter without a value counts as omitted, an unknown one is ignored (RFC 6749 section 3.1).
const parameter = z.optional(
  z.pipe(
    z.string(),
    z.transform((text: string) => text || undefined),
  ),
);
// Named only to be refused: Basic is the one way to authenticate (Decision D2).
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
    description:
      "A form or JSON, with the same meaning; an unknown parameter is ignored. A new access token ends the one before it at once. Refresh tokens may be used again until their ten days end.",
    answer: { status: 200, body: tokenPair },
    requestBody: tokenGrant,
    oauthErrors: ["invalid_grant", "unsupported_grant_type"],
  },
  handle: ({ caller: { client }, body }) => {
    if (hasOtherCredentials(body, client)) return refuseOtherCredentials();
    switch (body.grant_type) {
      case "authorization_code":
        return exchange(body, client);
      case "refresh_token":
        return refresh(body, client);
      case undefined:
        return oauthRefusal("invalid_request", "grant_type is required.");
      default:
        return oauthRefusal("unsupported_grant_type", "grant_type is authorization_code or refresh_token.");
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
      "Any live token ends every authorization of its user with this client (RFC 7009). An unknown or dead token is answered 200 and ends nothing.",
    answer: { status: 200 },
    requestBody: revocation,
  },
  handle: async ({ caller: { client }, body }) => {
    if (hasOtherCredentials(body, client)) return refuseOtherCredentials();
    if (!body.token) return oauthRefusal("invalid_request", "token is required.");
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

/** The routes that issue and end tokens, and the document that describes them (RFC 8414). */
export const tokenRoutes: Route[] = [issueTokens, revokeToken, describeAuthorizationServer];

async function exchange(body: TokenRequest, client: Client): Promise<Reply | Refusal> {
  if (!body.code) return oauthRefusal("invalid_request", "code is required.");
  if (!body.redirect_uri) return oauthRefusal("invalid_request", "redirect_uri is required.");
  const grant = await exchangeAuthorizationCode(
    { code: body.code, redirectUri: body.redirect_uri, codeVerifier: body.code_verifier },
    { clientId: client.id },
  );
  return shapeGrant(
    grant,
    "The code is unknown, expired or spent, or redirect_uri or code_verifier do not belong to it.",
  );
}

async function refresh(body: TokenRequest, client: Client): Promise<Reply | Refusal> {
  if (!body.refresh_token) return oauthRefusal("invalid_request", "refresh_token is required.");
  const grant = await refreshTokens(body.refresh_token, { clientId: client.id });
  return shapeGrant(grant, "The refresh token is unknown, expired or revoked: the person must authorize again.");
}

function shapeGrant(grant: TokenGrant, otherwise: string): Reply | Refusal {
  if (grant.kind === "busy") return refuseBusy();
  if (grant.kind === "invalid_grant") return oauthRefusal("invalid_grant", otherwise);
  const body: TokenPair = {
    access_token: grant.accessToken,
    token_type: "Bearer",
    expires_in: limits.accessTokenSeconds,
    refresh_token: grant.refreshToken,
  };
  // RFC 6749 section 5.1 asks for both headers; cache-control is on every answer.
  return { status: 200, body, headers: { pragma: "no-cache" } };
}

function oauthRefusal(error: OAuthErrorCode, description: string): Reply {
  return { status: oauthErrorStatuses[error], body: { error, error_description: description } };
}

function hasOtherCredentials(
  body: { [name in keyof typeof credentials]?: string | undefined },
  client: Client,
): boolean {
  const { client_id = client.id, client_secret, client_assertion } = body;
  return client_secret !== undefined || client_assertion !== undefined || client_id !== client.id;
}

function refuseOtherCredentials(): Reply {
  return oauthRefusal("invalid_request", "Authenticate with the Authorization header only.");
}

function presentAuthorizationServer({ baseUrl, authUrl }: { baseUrl: string; authUrl: string }) {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${authUrl}/login/oauth/authorize`,
    token_endpoint: `${baseUrl}/v1/oauth/token`,
    revocation_endpoint: `${baseUrl}/v1/oauth/revoke`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
    revocation_endpoint_auth_methods_supported: ["client_secret_basic"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

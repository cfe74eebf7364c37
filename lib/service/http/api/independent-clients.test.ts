import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpListener } from "../../../kit/testing/http-listener.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { createTestClient } from "../../testing/clients.ts";
import { startListeningService } from "../../testing/listening-service.ts";
import { createIntent, personDetails } from "../../testing/people.ts";
import { authorizeByHand } from "../../testing/visits.ts";

// Unmodified third-party clients: if they refuse something, an integrator's library would too.

const redirectUri = "https://partner.example/callback";

let service: HttpListener;
beforeAll(async () => {
  service = await startListeningService();
});
afterAll(() => service.stop());

describe("openid-client, unmodified", () => {
  test.each([
    ["client_secret_basic", openid.ClientSecretBasic],
    ["client_secret_post", openid.ClientSecretPost],
  ])(
    "discovers, authorizes with PKCE, state and iss, calls, refreshes and revokes by %s",
    async (method, authentication) => {
      const { client, intent, phone } = await clientWithIntent();
      const configuration = await openid.discovery(
        new URL(service.url),
        client.clientId,
        undefined,
        authentication(client.clientSecret),
        { algorithm: "oauth2", execute: [openid.allowInsecureRequests] },
      );
      const server = configuration.serverMetadata();
      expect(server.supportsPKCE()).toBe(true);
      expect(server.token_endpoint_auth_methods_supported).toContain(method);
      expect(server["revocation_endpoint_auth_methods_supported"]).toContain(method);

      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const address = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        user_intent_id: intent.id,
        state: expectedState,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      });
      const { returnTo } = await authorizeByHand(address, { clientId: client.clientId, phone });
      const pair = await openid.authorizationCodeGrant(configuration, returnTo, { pkceCodeVerifier, expectedState });
      expect(pair.expires_in).toBe(7200);

      const user = new URL("/v1/user", service.url);
      const answer = await openid.fetchProtectedResource(configuration, pair.access_token, user, "GET");
      expect(await answer.json()).toMatchObject({ phone });

      const next = await openid.refreshTokenGrant(configuration, pair.refresh_token ?? "");
      expect(next.access_token).not.toBe(pair.access_token);
      await openid.tokenRevocation(configuration, next.refresh_token ?? "");
      await expect(openid.refreshTokenGrant(configuration, next.refresh_token ?? "")).rejects.toMatchObject({
        error: "invalid_grant",
        status: 400,
      });
    },
  );

  test("refuses a response with another iss", async () => {
    const { client, intent, phone } = await clientWithIntent();
    const configuration = await openid.discovery(
      new URL(service.url),
      client.clientId,
      undefined,
      openid.ClientSecretBasic(client.clientSecret),
      { algorithm: "oauth2", execute: [openid.allowInsecureRequests] },
    );
    const address = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      user_intent_id: intent.id,
    });
    const { returnTo } = await authorizeByHand(address, { clientId: client.clientId, phone });
    returnTo.searchParams.set("iss", "https://attacker.example");
    await expect(openid.authorizationCodeGrant(configuration, returnTo)).rejects.toThrow();
    returnTo.searchParams.delete("iss");
    await expect(openid.authorizationCodeGrant(configuration, returnTo)).rejects.toThrow();
  });
});

describe("oauth4webapi, unmodified", () => {
  test("discovers, authorizes with PKCE, state and iss, calls, refreshes and revokes", async () => {
    const { client: fresh, intent, phone } = await clientWithIntent();
    const options = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(service.url);
    const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...options });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const client: oauth.Client = { client_id: fresh.clientId };
    const authentication = oauth.ClientSecretBasic(fresh.clientSecret);

    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(server.authorization_endpoint ?? "");
    address.search = new URLSearchParams({
      client_id: fresh.clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      user_intent_id: intent.id,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).toString();
    const { returnTo } = await authorizeByHand(address, { clientId: fresh.clientId, phone });
    const callback = oauth.validateAuthResponse(server, client, returnTo, state);

    const pair = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        callback,
        redirectUri,
        verifier,
        options,
      ),
    );
    const user = new URL("/v1/user", service.url);
    const call = (accessToken: string) =>
      oauth.protectedResourceRequest(accessToken, "GET", user, undefined, undefined, options);
    expect(await (await call(pair.access_token)).json()).toMatchObject({ phone });

    const refresh = async (refreshToken: string) =>
      oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, options),
      );
    const next = await refresh(pair.refresh_token ?? "");
    // The library can parse the challenge of a superseded token.
    await expect(call(pair.access_token)).rejects.toThrow(oauth.WWWAuthenticateChallengeError);

    const revoked = await oauth.revocationRequest(server, client, authentication, next.access_token, options);
    expect(await oauth.processRevocationResponse(revoked)).toBeUndefined();
    await expect(refresh(next.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
  });
});

/** A client without session tokens, as an unmodified library needs it. */
async function clientWithIntent() {
  const client = await createTestClient();
  const settings = { redirect_uris: [redirectUri], trusted_authentication: false };
  await client.call("PUT", "/sandbox/client", { body: settings });
  const phone = newPhone();
  return { client, phone, intent: await createIntent(client, personDetails({ phone })) };
}

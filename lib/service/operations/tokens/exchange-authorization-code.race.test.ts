import { describe, expect, test } from "vitest";
import { servicePool } from "../../storage/database.ts";
import { advanceClock, createTestClient, testRedirectUri } from "../../testing/clients.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { insertTestUser } from "../../testing/people.ts";
import { insertTestCode, testVerifier } from "../../testing/tokens.ts";
import { authenticateAccessToken } from "./authenticate.ts";
import { exchangeAuthorizationCode, refreshTokens, type TokenGrant } from "./grant-tokens.ts";

const proof = { redirectUri: testRedirectUri, codeVerifier: testVerifier };

async function codeForNewUser(options?: { verifier: string | null }) {
  const client = await createTestClient();
  const { userId } = await insertTestUser(client);
  return { client, userId, clientId: client.clientId, code: await insertTestCode(client, userId, options) };
}

function granted(grant: TokenGrant) {
  if (grant.kind !== "granted") throw new Error("A pair was expected.");
  return grant;
}

async function isAlive({ accessToken, refreshToken }: { accessToken: string; refreshToken: string }, clientId: string) {
  const { kind } = await authenticateAccessToken(accessToken);
  const refreshed = await refreshTokens(refreshToken, { clientId });
  return kind === "valid" || refreshed.kind === "granted";
}

describe("a code", () => {
  // A stolen or retried code never yields two live grants.
  test("is redeemed once when twenty exchanges race, and the losers revoke the winner's tokens", async () => {
    const { clientId, userId, code } = await codeForNewUser();
    // Holds the user, so that all are in flight before the first can finish.
    const user = await holdRows("select from users where id = $1 for no key update", [userId]);
    const exchanges = Array.from({ length: 20 }, () => exchangeAuthorizationCode({ code, ...proof }, { clientId }));
    await user.waiters(15);
    await user.release();
    const grants = await Promise.all(exchanges);
    const winners = grants.filter(({ kind }) => kind === "granted");
    expect(winners).toHaveLength(1);
    expect(await isAlive(granted(winners[0] as TokenGrant), clientId)).toBe(false);
  });

  test("that is proven a second time revokes its tokens, including refreshed ones", async () => {
    const { clientId, code } = await codeForNewUser();
    const first = granted(await exchangeAuthorizationCode({ code, ...proof }, { clientId }));
    const second = granted(await refreshTokens(first.refreshToken, { clientId }));
    expect(await exchangeAuthorizationCode({ code, ...proof }, { clientId })).toEqual({
      kind: "invalid_grant",
      cause: "code_proven_twice",
    });
    expect(await authenticateAccessToken(second.accessToken)).toEqual({
      kind: "unknown",
      cause: "access_token_revoked",
      clientId,
    });
    expect(await isAlive(first, clientId)).toBe(false);
    expect(await isAlive(second, clientId)).toBe(false);
  });

  test.each([
    ["a wrong verifier", { codeVerifier: "b".repeat(43) }],
    ["no verifier", { codeVerifier: undefined }],
    ["another redirect_uri", { redirectUri: `${testRedirectUri}/` }],
  ])("that was redeemed is not affected by a replay with %s", async (_, wrong) => {
    const { clientId, code } = await codeForNewUser();
    const pair = granted(await exchangeAuthorizationCode({ code, ...proof }, { clientId }));
    expect(await exchangeAuthorizationCode({ code, ...proof, ...wrong }, { clientId })).toEqual({
      kind: "invalid_grant",
      cause: "code_spent",
    });
    expect((await authenticateAccessToken(pair.accessToken)).kind).toBe("valid");
  });

  test.each([
    ["a wrong verifier", { codeVerifier: "b".repeat(43) }, "code_verifier_wrong"],
    ["no verifier", { codeVerifier: undefined }, "code_verifier_wrong"],
    ["another redirect_uri", { redirectUri: testRedirectUri.toUpperCase() }, "redirect_uri_wrong"],
  ])("is burned by %s", async (_, wrong, cause) => {
    const { clientId, code } = await codeForNewUser();
    expect(await exchangeAuthorizationCode({ code, ...proof, ...wrong }, { clientId })).toEqual({
      kind: "invalid_grant",
      cause: cause,
    });
    expect(await exchangeAuthorizationCode({ code, ...proof }, { clientId })).toEqual({
      kind: "invalid_grant",
      cause: "code_proven_twice",
    });
  });

  test("without a challenge is burned by a verifier", async () => {
    const { clientId, code } = await codeForNewUser({ verifier: null });
    expect(await exchangeAuthorizationCode({ code, ...proof }, { clientId })).toEqual({
      kind: "invalid_grant",
      cause: "code_verifier_wrong",
    });
    const withoutVerifier = { code, redirectUri: testRedirectUri, codeVerifier: undefined };
    expect(await exchangeAuthorizationCode(withoutVerifier, { clientId })).toEqual({
      kind: "invalid_grant",
      cause: "code_proven_twice",
    });
  });

  test("is not affected when another client sends it", async () => {
    const { clientId, code } = await codeForNewUser();
    const { clientId: otherId } = await createTestClient();
    expect(await exchangeAuthorizationCode({ code, ...proof }, { clientId: otherId })).toEqual({
      kind: "invalid_grant",
      cause: "code_of_another_client",
    });
    expect((await exchangeAuthorizationCode({ code, ...proof }, { clientId })).kind).toBe("granted");
  });

  test("is valid at 4:50 and expired at 5:00 by its client's clock", async () => {
    const young = await codeForNewUser();
    await advanceClock(young.client, 290);
    expect((await exchangeAuthorizationCode({ code: young.code, ...proof }, young)).kind).toBe("granted");
    const old = await codeForNewUser();
    await advanceClock(old.client, 300);
    expect(await exchangeAuthorizationCode({ code: old.code, ...proof }, old)).toEqual({
      kind: "invalid_grant",
      cause: "code_expired",
    });
  });
});

describe("the token transaction", () => {
  test.each([
    ["authorization_codes", "update"],
    ["access_tokens", "update"],
    ["access_tokens", "insert"],
    ["refresh_tokens", "insert"],
  ])("writes nothing when the %s %s fails", async (table, verb) => {
    const { client, userId, clientId, code } = await codeForNewUser();
    const earlier = granted(
      await exchangeAuthorizationCode({ code: await insertTestCode(client, userId), ...proof }, { clientId }),
    );
    await servicePool().query(`
      create function fail_here() returns trigger language plpgsql as $$ begin raise 'broken on purpose'; end $$;
      create trigger fail_here before ${verb} on ${table} for each row execute function fail_here()`);
    try {
      await expect(exchangeAuthorizationCode({ code, ...proof }, { clientId })).rejects.toThrow();
    } finally {
      await servicePool().query("drop function fail_here cascade");
    }
    expect((await authenticateAccessToken(earlier.accessToken)).kind).toBe("valid");
    expect((await exchangeAuthorizationCode({ code, ...proof }, { clientId })).kind).toBe("granted");
  });
});

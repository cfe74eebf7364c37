import { describe, expect, test } from "vitest";
import { servicePool } from "../../storage/database.ts";
import { advanceClock, createTestClient } from "../../testing/clients.ts";
import { issueTestTokens, tokensOfNewUser } from "../../testing/tokens.ts";
import { authenticateAccessToken } from "./authenticate.ts";
import { refreshTokens, revokeAuthorizations, type TokenGrant } from "./grant-tokens.ts";

function granted(grants: TokenGrant[]) {
  return grants.flatMap((grant) => (grant.kind === "granted" ? [grant] : []));
}

async function kindsOf(accessTokens: string[]) {
  return Promise.all(accessTokens.map(async (token) => (await authenticateAccessToken(token)).kind));
}

describe("refreshing", () => {
  test("answers 64 concurrent calls with 64 pairs: every refresh token and one access token are valid", async () => {
    const { clientId, accessToken, refreshToken } = await tokensOfNewUser();
    const pairs = granted(
      await Promise.all(Array.from({ length: 64 }, () => refreshTokens(refreshToken, { clientId }))),
    );
    expect(pairs).toHaveLength(64);
    const kinds = await kindsOf([accessToken, ...pairs.map((pair) => pair.accessToken)]);
    expect(kinds.filter((kind) => kind === "valid")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "superseded")).toHaveLength(64);
    const repeated = await Promise.all(pairs.map((pair) => refreshTokens(pair.refreshToken, { clientId })));
    expect(granted(repeated)).toHaveLength(64);
  });

  test("gives each user's last call in a batch the valid access token", async () => {
    const people = await Promise.all(Array.from({ length: 5 }, tokensOfNewUser));
    const calls = people.flatMap((person) => [person, person, person]);
    const pairs = granted(
      await Promise.all(calls.map(({ refreshToken, clientId }) => refreshTokens(refreshToken, { clientId }))),
    );
    const kinds = await kindsOf(pairs.map(({ accessToken }) => accessToken));
    expect(kinds).toEqual(people.flatMap(() => ["superseded", "superseded", "valid"]));
  });

  test("leaves one valid access token per user when batches of many users cross", async () => {
    const people = await Promise.all(Array.from({ length: 20 }, tokensOfNewUser));
    const backwards = [...people].reverse();
    const rounds = Array.from({ length: 30 }, (_, round) => (round % 2 ? people : backwards)).flat();
    const grants = await Promise.all(
      rounds.map(({ refreshToken, clientId }) => refreshTokens(refreshToken, { clientId })),
    );
    expect(granted(grants)).toHaveLength(rounds.length);
    for (const [index, person] of people.entries()) {
      const personGrants = grants.filter((_, call) => rounds[call] === person);
      const kinds = await kindsOf(granted(personGrants).map(({ accessToken }) => accessToken));
      expect(
        kinds.filter((kind) => kind === "valid"),
        `person ${index}`,
      ).toHaveLength(1);
    }
  });

  test("is refused for another client, and changes nothing", async () => {
    const { accessToken, refreshToken } = await tokensOfNewUser();
    const { clientId: otherId } = await createTestClient();
    expect(await refreshTokens(refreshToken, { clientId: otherId })).toEqual({
      kind: "invalid_grant",
      cause: "refresh_token_of_another_client",
    });
    expect((await authenticateAccessToken(accessToken)).kind).toBe("valid");
  });

  test("is refused in a set for each token's own cause", async () => {
    const [otherUser, revoked, fine] = await Promise.all([tokensOfNewUser(), tokensOfNewUser(), tokensOfNewUser()]);
    await revokeAuthorizations(revoked.refreshToken, revoked);
    const { clientId } = fine;
    // The first runs alone, the others in one set.
    const grants = await Promise.all([
      refreshTokens(fine.refreshToken, { clientId }),
      refreshTokens(otherUser.refreshToken, { clientId }),
      refreshTokens(fine.refreshToken, { clientId }),
      refreshTokens("gwr_unknown", { clientId }),
      refreshTokens(revoked.refreshToken, revoked),
    ]);
    expect(grants.map((grant) => (grant.kind === "invalid_grant" ? grant.cause : grant.kind))).toEqual([
      "granted",
      "refresh_token_of_another_client",
      "granted",
      "refresh_token_unknown",
      "refresh_token_revoked",
    ]);
  });

  test("works for ten days by the client's clock and not a second longer", async () => {
    const { client, clientId, accessToken, refreshToken } = await tokensOfNewUser();
    await advanceClock(client, 864_000 - 10);
    expect((await authenticateAccessToken(accessToken)).kind).toBe("expired");
    expect((await refreshTokens(refreshToken, { clientId })).kind).toBe("granted");
    await advanceClock(client, 10);
    expect(await refreshTokens(refreshToken, { clientId })).toEqual({
      kind: "invalid_grant",
      cause: "refresh_token_expired",
    });
  });

  test("distinguishes expired from superseded; a token that is both counts as expired", async () => {
    const { client, clientId, accessToken, refreshToken } = await tokensOfNewUser();
    await refreshTokens(refreshToken, { clientId });
    expect((await authenticateAccessToken(accessToken)).kind).toBe("superseded");
    await advanceClock(client, 7200);
    expect((await authenticateAccessToken(accessToken)).kind).toBe("expired");
  });

  test.each(["access_tokens", "refresh_tokens"])("writes nothing when the %s insert fails", async (table) => {
    const { clientId, accessToken, refreshToken } = await tokensOfNewUser();
    await servicePool().query(`
      create function fail_here() returns trigger language plpgsql as $$ begin raise 'broken on purpose'; end $$;
      create trigger fail_here before insert on ${table} for each row execute function fail_here()`);
    try {
      await expect(refreshTokens(refreshToken, { clientId })).rejects.toThrow();
    } finally {
      await servicePool().query("drop function fail_here cascade");
    }
    expect((await authenticateAccessToken(accessToken)).kind).toBe("valid");
    expect((await refreshTokens(refreshToken, { clientId })).kind).toBe("granted");
  });
});

describe("revoking", () => {
  test("ends every authorization of the user with the client, whichever live token is sent", async () => {
    const { client, clientId, userId, refreshToken } = await tokensOfNewUser();
    const [between, later] = [await issueTestTokens(client, userId), await issueTestTokens(client, userId)];
    await revokeAuthorizations(between.refreshToken, { clientId });
    expect(await kindsOf([later.accessToken])).toEqual(["unknown"]);
    for (const token of [refreshToken, between.refreshToken, later.refreshToken]) {
      expect(await refreshTokens(token, { clientId })).toEqual({
        kind: "invalid_grant",
        cause: "refresh_token_revoked",
      });
    }
  });

  test("does nothing for a token of another client", async () => {
    const { accessToken } = await tokensOfNewUser();
    const { clientId: otherId } = await createTestClient();
    await revokeAuthorizations(accessToken, { clientId: otherId });
    expect(await kindsOf([accessToken])).toEqual(["valid"]);
  });

  test("leaves no live token when it races refreshes", async () => {
    for (let round = 0; round < 10; round++) {
      const { clientId, refreshToken } = await tokensOfNewUser();
      const refreshes = Array.from({ length: 40 }, () => refreshTokens(refreshToken, { clientId }));
      const revocation = revokeAuthorizations(refreshToken, { clientId });
      const late = Array.from({ length: 40 }, () => refreshTokens(refreshToken, { clientId }));
      const pairs = granted(await Promise.all([...refreshes, ...late]));
      await revocation;
      expect(new Set(await kindsOf(pairs.map(({ accessToken }) => accessToken))).has("valid")).toBe(false);
      const repeated = await Promise.all(pairs.map((pair) => refreshTokens(pair.refreshToken, { clientId })));
      expect(granted(repeated)).toEqual([]);
    }
  });
});

import { expect, test } from "vitest";
import { sha256 } from "../../kit/secrets.ts";
import { authenticateAccessToken } from "../operations/tokens/authenticate.ts";
import { hashesOf, newTokenPair, refreshTokens, type TokenGrant } from "../operations/tokens/grant-tokens.ts";
import { inTransaction, servicePool } from "../storage/database.ts";
import { insertTokenPairsOfRefreshes } from "../storage/tokens.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { countLive, tokensOfNewUser } from "../testing/tokens.ts";
import { expireRefreshTokens } from "./storage/issued-tokens.ts";
import { expireTokens, revokeTokens } from "./tokens.ts";

const refreshMany = ({ clientId, refreshToken }: { clientId: string; refreshToken: string }) =>
  Array.from({ length: 10 }, () => refreshTokens(refreshToken, { clientId }));

test("of refreshes that race an expiry each comes before it, and ends, or after it, and is refused", async () => {
  for (let round = 0; round < 15; round++) {
    const somebody = await tokensOfNewUser();
    const racing = refreshMany(somebody);
    const [ended, ...grants] = await Promise.all([expireTokens(somebody, { kind: "refresh_token" }), ...racing]);
    expect(ended).toBe(1 + grants.filter(({ kind }) => kind === "granted").length);
    expect(await countLive(somebody.clientId, "refresh_token")).toBe(0);
    expect(await countLive(somebody.clientId, "access_token")).toBe(1);
  }
});

// Its snapshot is older than the end of the tokens, and its lock is younger: only the index of current tokens can tell it.
test("a refresh whose statement began before its token ended is left out", async () => {
  const { clientId, userId, refreshToken } = await tokensOfNewUser();
  const refresh = { ...hashesOf(newTokenPair()), clientId, shownTokenHash: sha256(refreshToken) };
  const watched = await holdRows("select", []);
  const { served } = await inTransaction(async (tx) => {
    expect(await expireRefreshTokens(tx, { clientId, userId })).toBe(1);
    const waiting = insertTokenPairsOfRefreshes(servicePool(), [refresh]);
    await watched.waiters(1);
    return { served: waiting };
  });
  expect(await served).toEqual(new Set());
  await watched.release();
  expect(await countLive(clientId, "refresh_token")).toBe(0);
  expect(await countLive(clientId, "access_token")).toBe(1);
});

test("of refreshes that race a revocation none leaves a token that lives", async () => {
  for (let round = 0; round < 15; round++) {
    const somebody = await tokensOfNewUser();
    const [, ...grants] = await Promise.all([revokeTokens(somebody), ...refreshMany(somebody)]);
    expect(await countLive(somebody.clientId, "refresh_token")).toBe(0);
    expect(await countLive(somebody.clientId, "access_token")).toBe(0);
    for (const grant of grants.filter(isGranted)) {
      expect((await authenticateAccessToken(grant.accessToken)).kind).toBe("unknown");
    }
  }
});

test.each(["access_token", "refresh_token"] as const)("whoever ends a %s waits for whoever issues", async (kind) => {
  const somebody = await tokensOfNewUser();
  const user = await holdRows("select from users where id = $1 for no key update", [somebody.userId]);
  const ending = expireTokens(somebody, { kind });
  await user.waiters(1);
  await user.release();
  expect(await ending).toBe(1);
});

function isGranted(grant: TokenGrant): grant is Extract<TokenGrant, { kind: "granted" }> {
  return grant.kind === "granted";
}

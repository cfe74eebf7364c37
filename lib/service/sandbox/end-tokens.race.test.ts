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

test("a refresh racing an expiry either ends with it or is refused after it", async () => {
  for (let round = 0; round < 15; round++) {
    const issued = await tokensOfNewUser();
    const racing = refreshMany(issued);
    const [ended, ...grants] = await Promise.all([expireTokens(issued, { kind: "refresh_token" }), ...racing]);
    expect(ended).toBe(1 + grants.filter(({ kind }) => kind === "granted").length);
    expect(await countLive(issued.clientId, "refresh_token")).toBe(0);
    expect(await countLive(issued.clientId, "access_token")).toBe(1);
  }
});

// Its snapshot predates the expiry and its lock comes after, so only the index of current tokens can reject it.
test("a refresh that started before its token expired is refused", async () => {
  const { clientId, userId, refreshToken } = await tokensOfNewUser();
  const refresh = { ...hashesOf(newTokenPair()), clientId, presentedTokenHash: sha256(refreshToken) };
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

test("a refresh racing a revocation leaves no live token", async () => {
  for (let round = 0; round < 15; round++) {
    const issued = await tokensOfNewUser();
    const [, ...grants] = await Promise.all([revokeTokens(issued), ...refreshMany(issued)]);
    expect(await countLive(issued.clientId, "refresh_token")).toBe(0);
    expect(await countLive(issued.clientId, "access_token")).toBe(0);
    for (const grant of grants.filter(isGranted)) {
      expect((await authenticateAccessToken(grant.accessToken)).kind).toBe("unknown");
    }
  }
});

test.each(["access_token", "refresh_token"] as const)("ending a %s waits for a concurrent issue", async (kind) => {
  const issued = await tokensOfNewUser();
  const user = await holdRows("select from users where id = $1 for no key update", [issued.userId]);
  const ending = expireTokens(issued, { kind });
  await user.waiters(1);
  await user.release();
  expect(await ending).toBe(1);
});

function isGranted(grant: TokenGrant): grant is Extract<TokenGrant, { kind: "granted" }> {
  return grant.kind === "granted";
}

import { expect, test } from "vitest";
import { sha256 } from "../../kit/secrets.ts";
import { hashesOf, newTokenPair } from "../operations/tokens/token-grant.ts";
import { inTransaction, servicePool } from "../storage/database.ts";
import { expireRefreshTokens } from "../storage/issued-tokens.ts";
import { refreshInOneStatement } from "../storage/token-pairs.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { countLive, tokensOfSomebody } from "../testing/live-tokens.ts";

// Its snapshot is older than the end of the tokens, and its lock is younger: only the index of current tokens can tell it.
test("a refresh in one statement that began before its token ended is left out", async () => {
  const { clientId, userId, refreshToken } = await tokensOfSomebody();
  const refresh = { ...hashesOf(newTokenPair()), clientId, shownTokenHash: sha256(refreshToken) };
  const watched = await holdRows("select", []);
  const { served } = await inTransaction(async (tx) => {
    expect(await expireRefreshTokens(tx, { clientId, userId })).toBe(1);
    const waiting = refreshInOneStatement(servicePool(), [refresh]);
    await watched.waiters(1);
    return { served: waiting };
  });
  expect(await served).toEqual(new Set());
  await watched.release();
  expect(await countLive(clientId, "refresh_token")).toBe(0);
  expect(await countLive(clientId, "access_token")).toBe(1);
});

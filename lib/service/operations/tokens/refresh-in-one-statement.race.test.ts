import { expect, test } from "vitest";
import { newSecret, sha256 } from "../../../kit/secrets.ts";
import { servicePool } from "../../storage/database.ts";
import { insertTokenPairsOfRefreshes, type Refresh } from "../../storage/tokens.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { tokensOfNewUser } from "../../testing/tokens.ts";
import { authenticateAccessToken } from "./authenticate.ts";
import { hashesOf, newTokenPair } from "./grant-tokens.ts";

function refreshOf({ clientId, refreshToken }: { clientId: string; refreshToken: string }): Refresh {
  return { ...hashesOf(newTokenPair()), clientId, presentedTokenHash: sha256(refreshToken) };
}

const serve = (refreshes: Refresh[]) => insertTokenPairsOfRefreshes(servicePool(), refreshes);

async function countPairs(userId: string): Promise<unknown> {
  const { rows } = await servicePool().query(
    `select (select count(*)::int from access_tokens where user_id = $1) as access,
      (select count(*)::int from refresh_tokens where user_id = $1) as refresh`,
    [userId],
  );
  return rows[0];
}

test("refused refreshes, and those of a locked user, are skipped and leave nothing behind", async () => {
  const [held, free] = [await tokensOfNewUser(), await tokensOfNewUser()];
  const user = await holdRows("select from users where id = $1 for no key update", [held.userId]);
  const stranger = refreshOf({ ...free, clientId: held.clientId });
  const unknown = refreshOf({ ...free, refreshToken: newSecret("gwr_") });
  expect(await serve([refreshOf(held), stranger, unknown, refreshOf(free)])).toEqual(new Set([3]));
  await user.release();
  expect(await countPairs(held.userId)).toEqual({ access: 1, refresh: 1 });
  expect(await countPairs(free.userId)).toEqual({ access: 2, refresh: 2 });
});

test("a user who gets a token after the statement began is skipped and keeps that token", async () => {
  const [busy, free] = [await tokensOfNewUser(), await tokensOfNewUser()];
  const other = await servicePool().connect();
  await other.query("begin");
  await other.query("update access_tokens set superseded_at = now() where user_id = $1", [busy.userId]);
  await other.query(
    `insert into access_tokens (token_hash, authorization_id, client_id, user_id, expires_at, created_at)
     select $2, authorization_id, client_id, user_id, expires_at, created_at from access_tokens where user_id = $1`,
    [busy.userId, sha256("issued since")],
  );
  const watched = await holdRows("select", []);
  const served = serve([refreshOf(busy), refreshOf(busy), refreshOf(free)]);
  await watched.waiters(1);
  await other.query("commit");
  other.release();
  expect(await served).toEqual(new Set([2]));
  await watched.release();
  expect((await authenticateAccessToken("issued since")).kind).toBe("valid");
  expect(await countPairs(busy.userId)).toEqual({ access: 2, refresh: 1 });
});

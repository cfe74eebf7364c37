import { expect, test } from "vitest";
import type { Answer } from "./answer.ts";
import type { TokenPair } from "./authorization.ts";
import { createTokenKeeper, type StoredTokens, storedTokensOf, type TokenStore } from "./token-keeper.ts";

// Harbor's tests cover the keeper with its store and the service (lib/partner/tokens).

const pairOf = (name: string): TokenPair => ({
  access_token: `access-${name}`,
  refresh_token: `refresh-${name}`,
  expires_in: 7200,
});
const ok = <Body>(body: Body): Answer<Body> => ({ kind: "ok", status: 200, body, isReplay: false });

/** A store in memory with a lock per user, and a service whose refreshes wait for `finishRefresh`. */
function setUp() {
  const kept = new Map<string, StoredTokens>();
  const locks = new Map<string, Promise<unknown>>();
  const store: TokenStore = {
    read: async (userId) => kept.get(userId),
    write: async (userId, tokens) => void kept.set(userId, tokens),
    remove: async (userId, dead) => {
      const tokens = kept.get(userId);
      if ("refreshToken" in dead && tokens?.refreshToken === dead.refreshToken) kept.delete(userId);
      if ("accessToken" in dead && tokens?.accessToken === dead.accessToken) tokens.accessTokenSeconds = 0;
    },
    exclusively: (userId, work) => {
      const done = (locks.get(userId) ?? Promise.resolve()).then(work);
      locks.set(
        userId,
        done.catch(() => undefined),
      );
      return done;
    },
  };
  const refreshing = Promise.withResolvers<void>();
  const requests: string[] = [];
  const keeper = createTokenKeeper({
    store,
    client: {
      refreshTokens: async (refreshToken) => {
        requests.push(`refresh ${refreshToken}`);
        await refreshing.promise;
        return ok(pairOf(refreshToken.replace("refresh-", "after-")));
      },
      revokeTokens: async (token) => {
        requests.push(`revoke ${token}`);
        return ok(undefined);
      },
    },
  });
  return { keeper, store, kept, requests, finishRefresh: refreshing.resolve };
}

test("a disconnect during a refresh revokes the new pair too, and leaves no tokens behind", async () => {
  const { keeper, kept, requests, finishRefresh } = setUp();
  await keeper.keep("user", pairOf("first"));
  const refreshed = keeper.refresh("user", "access-first");
  await expect.poll(() => requests).toEqual(["refresh refresh-first"]);
  const disconnected = keeper.disconnect("user");
  finishRefresh();
  expect(await refreshed).toEqual({ kind: "ok", accessToken: "access-after-first" });
  expect(await disconnected).toEqual({ kind: "disconnected" });
  expect(requests).toEqual(["refresh refresh-first", "revoke refresh-after-first"]);
  expect(kept.size).toBe(0);
});

test("a refresh that waits for a disconnect finds no tokens and sends nothing", async () => {
  const { keeper, requests } = setUp();
  await keeper.keep("user", pairOf("first"));
  const ended = await Promise.all([keeper.disconnect("user"), keeper.refresh("user", "access-first")]);
  expect(ended).toEqual([{ kind: "disconnected" }, { kind: "reauthorization_required" }]);
  expect(requests).toEqual(["revoke refresh-first"]);
});

test("callers with the same expired token share a refresh only within one user", async () => {
  const { keeper, kept, requests, finishRefresh } = setUp();
  // A careless service could issue the same access token twice.
  kept.set("one", storedTokensOf({ ...pairOf("one"), access_token: "same" }));
  kept.set("other", storedTokensOf({ ...pairOf("other"), access_token: "same" }));
  const outcomes = Promise.all(["one", "one", "other"].map((userId) => keeper.refresh(userId, "same")));
  finishRefresh();
  expect(await outcomes).toEqual(
    ["one", "one", "other"].map((name) => ({ kind: "ok", accessToken: `access-after-${name}` })),
  );
  expect(requests.toSorted()).toEqual(["refresh refresh-one", "refresh refresh-other"]);
});

test("a dead token isn't sent again, even if its successor can't be stored", async () => {
  const { keeper, store, finishRefresh } = setUp();
  finishRefresh();
  await keeper.keep("user", pairOf("first"));
  const { write } = store;
  store.write = async () => {
    throw new Error("no connection to the database");
  };
  const sent: string[] = [];
  const send = async (accessToken: string): Promise<Answer<string>> => {
    sent.push(accessToken);
    return accessToken === "access-first"
      ? { kind: "refused", status: 401, reason: "token_expired", description: "", errors: [], requestId: undefined }
      : ok(accessToken);
  };
  await expect(keeper.call("user", send)).rejects.toThrow("no connection to the database");
  store.write = write;
  expect(await keeper.call("user", send)).toMatchObject({ body: "access-after-first" });
  expect(sent).toEqual(["access-first", "access-after-first"]);
});

test("concurrent calls with a shared access token refresh it only once when it expires", async () => {
  const { keeper, requests, finishRefresh } = setUp();
  finishRefresh();
  await keeper.keep("user", pairOf("first"));
  const current = await keeper.accessToken("user");
  const send = async (accessToken: string): Promise<Answer<string>> =>
    accessToken === "access-first"
      ? { kind: "refused", status: 401, reason: "token_expired", description: "", errors: [], requestId: undefined }
      : ok(accessToken);
  const answers = await Promise.all([keeper.call("user", send, current), keeper.call("user", send, current)]);
  expect(answers).toMatchObject([{ body: "access-after-first" }, { body: "access-after-first" }]);
  expect(requests).toEqual(["refresh refresh-first"]);
  // The others' refresh ended the shared token; their new one is used without another refresh.
  expect(await keeper.call("user", send, current)).toMatchObject({ body: "access-after-first" });
  expect(requests).toHaveLength(1);
  const none = { kind: "reauthorization_required" } as const;
  expect(await keeper.call("user", send, none)).toEqual(none);
});

test.each([
  [{ accessTokenSeconds: 61 }, "current"],
  [{ accessTokenSeconds: 60 }, "refreshed"],
  [{ accessTokenSeconds: 60, refreshTokenSeconds: 1 }, "refreshed"],
  [{ accessTokenSeconds: 61, refreshTokenSeconds: 0 }, "current"],
  [{ accessTokenSeconds: 60, refreshTokenSeconds: 0 }, "reauthorization_required"],
])("with %j left on its tokens, a call uses the access token that is %s", async (left, expected) => {
  const { keeper, kept, finishRefresh } = setUp();
  finishRefresh();
  kept.set("user", { ...storedTokensOf(pairOf("first")), ...left });
  const outcome = await keeper.call("user", async (accessToken) => ok(accessToken));
  const bodies = { current: "access-first", refreshed: "access-after-first" };
  expect(outcome.kind === "ok" ? outcome.body : outcome.kind).toBe(Reflect.get(bodies, expected) ?? expected);
  expect(kept.has("user")).toBe(expected !== "reauthorization_required");
});

test("renews a pair that is exactly a week old, and no younger one", async () => {
  const { keeper, kept, finishRefresh } = setUp();
  finishRefresh();
  expect(await keeper.renew("user")).toBeUndefined();
  const [daySeconds, pair] = [24 * 60 * 60, storedTokensOf(pairOf("first"))];
  kept.set("user", { ...pair, refreshTokenSeconds: 3 * daySeconds + 1 });
  expect(await keeper.renew("user")).toBeUndefined();
  kept.set("user", { ...pair, refreshTokenSeconds: 3 * daySeconds });
  expect(await keeper.renew("user")).toEqual({ kind: "ok", accessToken: "access-after-first" });
});

import { type Answer, decisionOf, type Refused, type Unreachable, type Unsuccessful } from "./answer.ts";
import { lifetimes, type TokenPair } from "./authorization.ts";

/** A user's tokens. The seconds are each token's lifetime when written, and what is left of it when read. */
export type StoredTokens = {
  accessToken: string;
  refreshToken: string;
  accessTokenSeconds: number;
  refreshTokenSeconds: number;
};

/** Where tokens are kept, one pair per user. The store's clock counts their seconds, so all processes agree. */
export type TokenStore = {
  read: (userId: string) => Promise<StoredTokens | undefined>;
  /** Replaces the user's pair. */
  write: (userId: string, tokens: StoredTokens) => Promise<void>;
  /**
   * Removes a dead token, unless a new pair replaced it. A dead refresh token removes the pair; a dead access token leaves the
   * pair with no seconds on that token.
   */
  remove: (userId: string, dead: { refreshToken: string } | { accessToken: string }) => Promise<void>;
  /**
   * Runs `work` while no other process runs it for the same user. `work` calls the other functions, so its lock must not block
   * them. It may pass a holder that hangs, after about 14 s, or run without a lock if it can't get one.
   */
  exclusively: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
};

/** The service accepts no refresh token that we hold: the person must authorize again. */
export type ReauthorizationRequired = { kind: "reauthorization_required" };

/** A usable access token, or why there is none. */
export type AccessTokenOutcome = { kind: "ok"; accessToken: string } | ReauthorizationRequired | Unsuccessful;

/** `forgotten_here`: the service can't revoke, so the tokens are deleted here but stay valid there until they expire. */
export type Disconnected =
  | { kind: "disconnected" }
  | { kind: "forgotten_here" }
  | { kind: "failed"; trouble: Unsuccessful };

/** Keeps the tokens of users and calls the service with them. */
export type TokenKeeper = {
  /** Stores a newly issued pair as the user's current one. */
  keep: (userId: string, pair: TokenPair) => Promise<void>;
  /**
   * Makes a call with the user's access token, refreshed first if it expires within 60 s. If the service refuses the token,
   * refreshes it and makes the call once more. A token that the service calls dead is not sent again.
   * @param current a result of `accessToken`, to share it between several calls
   */
  call: <Body>(
    userId: string,
    call: (accessToken: string) => Promise<Answer<Body>>,
    current?: AccessTokenOutcome,
  ) => Promise<Answer<Body> | ReauthorizationRequired>;
  /** The user's access token, refreshed if it is about to expire. */
  accessToken: (userId: string) => Promise<AccessTokenOutcome>;
  /** Replaces an access token that is dead or about to expire. */
  refresh: (userId: string, deadAccessToken: string) => Promise<AccessTokenOutcome>;
  /** Refreshes a pair that is a week old, so that people who stay away for ten days stay connected; otherwise undefined. */
  renew: (userId: string) => Promise<AccessTokenOutcome | undefined>;
  /** Revokes the user's tokens and deletes them. On a failure they are kept, so that you can try again. */
  disconnect: (userId: string) => Promise<Disconnected>;
};

/** `canRevoke`: false for a service that can't revoke and doesn't answer 404, 405 or 501. */
export type TokenKeeperSettings = {
  client: {
    refreshTokens: (refreshToken: string) => Promise<Answer<TokenPair>>;
    revokeTokens: (token: string) => Promise<Answer<undefined>>;
  };
  store: TokenStore;
  canRevoke?: boolean;
};

// So that no token expires while its request is in flight.
const earlySeconds = 60;
// The published advice is to renew weekly.
const renewalSeconds = 7 * 24 * 60 * 60;

/** All callers with the same dead token share one refresh, across processes too. */
export function createTokenKeeper({ client, store, canRevoke = true }: TokenKeeperSettings): TokenKeeper {
  const inFlight = new Map<string, Promise<AccessTokenOutcome>>();

  async function keep(userId: string, pair: TokenPair): Promise<void> {
    await store.write(userId, storedTokensOf(pair));
  }

  async function accessToken(userId: string): Promise<AccessTokenOutcome> {
    const tokens = await store.read(userId);
    if (!tokens) return { kind: "reauthorization_required" };
    if (isFresh(tokens)) return { kind: "ok", accessToken: tokens.accessToken };
    return refresh(userId, tokens.accessToken);
  }

  async function call<Body>(
    userId: string,
    send: (accessToken: string) => Promise<Answer<Body>>,
    current?: AccessTokenOutcome,
  ): Promise<Answer<Body> | ReauthorizationRequired> {
    const token = current ?? (await accessToken(userId));
    if (token.kind !== "ok") return token;
    const answer = await send(token.accessToken);
    if (answer.kind !== "refused" || !(await isAboutToken(answer, userId))) return answer;
    // First, so that it isn't sent again even if this refresh fails or its pair can't be stored.
    if (isDeadTokenReason(answer.reason)) await store.remove(userId, { accessToken: token.accessToken });
    const fresh = await refresh(userId, token.accessToken);
    return fresh.kind === "ok" ? send(fresh.accessToken) : fresh;
  }

  // A 401 is about the token at any service; a 403 only if its reason says so or the token is expiring by our clock.
  async function isAboutToken({ status, reason, description }: Refused, userId: string): Promise<boolean> {
    if (status === 401) return true;
    if (status !== 403) return false;
    // Without a reason, the description decides: the published error is that the token has expired.
    if (isDeadTokenReason(reason) || (reason === "unknown" && /token.*expired/is.test(description))) return true;
    const tokens = await store.read(userId);
    return tokens !== undefined && !isFresh(tokens);
  }

  // Callers in this process share one promise. Across processes the store's lock lets one refresh and the others find its pair.
  function refresh(userId: string, deadAccessToken: string): Promise<AccessTokenOutcome> {
    const key = `${userId} ${deadAccessToken}`;
    const running = inFlight.get(key);
    if (running) return running;
    const work = store.exclusively(userId, () => refreshUnlessDone(userId, deadAccessToken));
    const shared = work.finally(() => inFlight.delete(key));
    inFlight.set(key, shared);
    return shared;
  }

  async function refreshUnlessDone(userId: string, deadAccessToken: string): Promise<AccessTokenOutcome> {
    const tokens = await store.read(userId);
    if (!tokens) return { kind: "reauthorization_required" };
    // Another process refreshed while we waited for the lock.
    if (tokens.accessToken !== deadAccessToken && isFresh(tokens)) {
      return { kind: "ok", accessToken: tokens.accessToken };
    }
    if (tokens.refreshTokenSeconds > 0) {
      // If this process dies before it stores the new pair, the old refresh token still works until its ten days end.
      const answer = await client.refreshTokens(tokens.refreshToken);
      if (answer.kind === "ok") {
        await keep(userId, answer.body);
        return { kind: "ok", accessToken: answer.body.access_token };
      }
      if (answer.kind !== "refused") return answer;
      if (answer.reason !== "invalid_grant") {
        // It may be about our own request or the service's address, so the pair stays, but the person can authorize again.
        const canBeGrant = decisionOf(answer) === "definite" || answer.status === 401;
        return canBeGrant && answer.reason !== "invalid_client" ? { kind: "reauthorization_required" } : answer;
      }
    }
    await store.remove(userId, { refreshToken: tokens.refreshToken });
    return { kind: "reauthorization_required" };
  }

  async function renew(userId: string): Promise<AccessTokenOutcome | undefined> {
    const tokens = await store.read(userId);
    if (!tokens || lifetimes.refreshTokenSeconds - tokens.refreshTokenSeconds < renewalSeconds) return undefined;
    return refresh(userId, tokens.accessToken);
  }

  function disconnect(userId: string): Promise<Disconnected> {
    // Under the lock, so that a refresh in progress can't restore the pair.
    return store.exclusively(userId, async () => {
      const tokens = await store.read(userId);
      if (!tokens) return { kind: "disconnected" };
      const { refreshToken } = tokens;
      const answer = canRevoke ? await client.revokeTokens(refreshToken) : undefined;
      const isRevoked = answer?.kind === "ok" || answer?.kind === "unreadable";
      if (answer && !isRevoked && !cannotRevoke(answer)) return { kind: "failed", trouble: answer };
      await store.remove(userId, { refreshToken });
      return { kind: isRevoked ? "disconnected" : "forgotten_here" };
    });
  }

  return { keep, call, accessToken, refresh, renew, disconnect };
}

/** A newly issued pair, as a store takes it. */
export function storedTokensOf({ access_token, refresh_token, expires_in }: TokenPair): StoredTokens {
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    accessTokenSeconds: expires_in,
    refreshTokenSeconds: lifetimes.refreshTokenSeconds,
  };
}

function isFresh({ accessTokenSeconds }: StoredTokens): boolean {
  return accessTokenSeconds > earlySeconds;
}

// After a 401 with any other reason, the token may still be good.
function isDeadTokenReason(reason: string): boolean {
  return /token/i.test(reason) && /expired|invalid|revoked|superseded/i.test(reason);
}

// Revocation is not published (Decision D10). After any other refusal the tokens are still live, so we keep them.
function cannotRevoke(answer: Refused | Unreachable): boolean {
  return answer.kind === "refused" && [404, 405, 501].includes(answer.status);
}

import { type Answer, decisionOf, type Refused, type Unreachable, type Unsuccessful } from "./answer.ts";
import { lifetimes, type TokenPair } from "./authorization.ts";

/** A user's tokens, and how many seconds each lives: from now on when written, and what is left of it when read. */
export type StoredTokens = {
  accessToken: string;
  refreshToken: string;
  accessTokenSeconds: number;
  refreshTokenSeconds: number;
};

/** Where tokens are kept, one pair per user. Its clock counts their seconds, so all processes agree. */
export type TokenStore = {
  read: (userId: string) => Promise<StoredTokens | undefined>;
  /** Replaces the user's pair. */
  write: (userId: string, tokens: StoredTokens) => Promise<void>;
  /**
   * Removes a dead token, unless another pair has taken its place. Without its refresh token a pair is gone; without its
   * access token it has no seconds left.
   */
  remove: (userId: string, dead: { refreshToken: string } | { accessToken: string }) => Promise<void>;
  /** Runs `work` while no other process runs it for the same user. Passing a holder that hangs is fine, after 14 s or so. */
  exclusively: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
};

/** There is no live refresh token: the person must authorize again. */
export type ReauthorizationRequired = { kind: "reauthorization_required" };

/** A usable access token, or why there is none. */
export type AccessTokenOutcome = { kind: "ok"; accessToken: string } | ReauthorizationRequired | Unsuccessful;

/** `forgotten_here`: the service can't revoke, so the tokens, which are gone here, live there until they expire. */
export type Disconnected =
  | { kind: "disconnected" }
  | { kind: "forgotten_here" }
  | { kind: "failed"; trouble: Unsuccessful };

/** Keeps the tokens of users and calls the service with them. */
export type TokenKeeper = {
  /** Keeps a pair that the service just issued as the user's current one. */
  keep: (userId: string, pair: TokenPair) => Promise<void>;
  /**
   * Makes a call with the user's access token. It is refreshed within 60 s of its expiry, and when the service refuses it;
   * then the call is made once more. A token that the service calls dead is not sent again.
   * @param current what `accessToken` just answered, for several calls at once
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
  /** Gets a new pair if the user's is a week old, so that people who stay away for ten days stay connected; undefined if not. */
  renew: (userId: string) => Promise<AccessTokenOutcome | undefined>;
  /** Revokes the user's tokens and forgets them. On a failure they are kept, so that it can be tried again. */
  disconnect: (userId: string) => Promise<Disconnected>;
};

/** `canRevoke`: false for a service that can't and doesn't say so by 404, 405 or 501. */
export type TokenKeeperSettings = {
  client: {
    refreshTokens: (refreshToken: string) => Promise<Answer<TokenPair>>;
    revokeTokens: (token: string) => Promise<Answer<undefined>>;
  };
  store: TokenStore;
  canRevoke?: boolean;
};

// So that no request is on its way when its token expires.
const earlySeconds = 60;
// The published advice is to renew weekly.
const renewalSeconds = 7 * 24 * 60 * 60;

/** However many callers in however many processes come with the same dead token, the service is asked for one refresh. */
export function createTokenKeeper({ client, store, canRevoke = true }: TokenKeeperSettings): TokenKeeper {
  const underWay = new Map<string, Promise<AccessTokenOutcome>>();

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
    const fresh = await refresh(userId, token.accessToken);
    if (fresh.kind === "ok") return send(fresh.accessToken);
    if (saysThatTokenIsDead(answer.reason)) await store.remove(userId, { accessToken: token.accessToken });
    return fresh;
  }

  // A dead token is a 401 at any service. A 403 is about the token if its reason says so, or if it has expired by our clock.
  async function isAboutToken({ status, reason, description }: Refused, userId: string): Promise<boolean> {
    if (status === 401) return true;
    if (status !== 403) return false;
    // Without a reason the sentence decides: the published error is that the token has expired.
    if (saysThatTokenIsDead(reason) || (reason === "unknown" && /token.*expired/is.test(description))) return true;
    const tokens = await store.read(userId);
    return tokens !== undefined && !isFresh(tokens);
  }

  // Callers in this process share one promise; between processes the store's lock lets one refresh and the others find its pair.
  function refresh(userId: string, deadAccessToken: string): Promise<AccessTokenOutcome> {
    const key = `${userId} ${deadAccessToken}`;
    const running = underWay.get(key);
    if (running) return running;
    const work = store.exclusively(userId, () => refreshUnlessDone(userId, deadAccessToken));
    const shared = work.finally(() => underWay.delete(key));
    underWay.set(key, shared);
    return shared;
  }

  async function refreshUnlessDone(userId: string, deadAccessToken: string): Promise<AccessTokenOutcome> {
    const tokens = await store.read(userId);
    if (!tokens) return { kind: "reauthorization_required" };
    // Another process refreshed while this one waited for the lock.
    if (tokens.accessToken !== deadAccessToken && isFresh(tokens)) {
      return { kind: "ok", accessToken: tokens.accessToken };
    }
    if (tokens.refreshTokenSeconds > 0) {
      // If this process dies before the next line, the old refresh token is still stored, and works until its ten days end.
      const answer = await client.refreshTokens(tokens.refreshToken);
      if (answer.kind === "ok") {
        await keep(userId, answer.body);
        return { kind: "ok", accessToken: answer.body.access_token };
      }
      if (answer.kind !== "refused") return answer;
      const isFinal = answer.reason === "invalid_grant" || decisionOf(answer) === "definite";
      // A 401 may be about our own credential. The person may authorize again, and the pair stays.
      if (!isFinal && answer.status === 401 && answer.reason !== "invalid_client")
        return { kind: "reauthorization_required" };
      if (!isFinal) return answer;
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
    // Under the lock, so that no refresh under way brings the pair back.
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

/** A pair that the service just issued, as a store is given it. */
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

// A 401 without such a reason may be about something else, and the token still good.
function saysThatTokenIsDead(reason: string): boolean {
  return /token/i.test(reason) && /expired|invalid|revoked|superseded/i.test(reason);
}

// Revocation is not published (Decision D10). After any other refusal the tokens live on, so they are kept.
function cannotRevoke(answer: Refused | Unreachable): boolean {
  return answer.kind === "refused" && [404, 405, 501].includes(answer.status);
}

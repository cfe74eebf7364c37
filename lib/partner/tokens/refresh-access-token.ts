import { processWide } from "../../kit/memoize.ts";
import type { Refused, Unreachable } from "../service-client/call-service.ts";
import { refreshTokens } from "../service-client/tokens.ts";
import { database } from "../storage/database.ts";
import { withRefreshLock } from "../storage/refresh-lock.ts";
import { forgetTokenPair, readTokenPair, storeTokenPair } from "./token-pairs.ts";

/** There is no live refresh token: only the person can help, by authorizing again. */
export type ReauthorizationRequired = { kind: "reauthorization_required" };

/** A usable access token, or why there is none. */
export type AccessTokenOutcome = { kind: "ok"; accessToken: string } | ReauthorizationRequired | Refused | Unreachable;

const underWay = processWide("partner.refreshes", () => new Map<string, Promise<AccessTokenOutcome>>());

/**
 * A fresh access token in the place of one that is dead or about to expire. However many callers in however many processes
 * come with the same dead token, the service is asked once: within a process they share one promise, between processes the
 * first takes the user's lock and the others find its result in the database.
 */
export function refreshAccessToken(serviceUserId: string, deadAccessToken: string): Promise<AccessTokenOutcome> {
  const key = `${serviceUserId} ${deadAccessToken}`;
  const running = underWay().get(key);
  if (running) return running;
  const refresh = withRefreshLock(serviceUserId, () => refreshUnlessDone(serviceUserId, deadAccessToken));
  const shared = refresh.finally(() => underWay().delete(key));
  underWay().set(key, shared);
  return shared;
}

async function refreshUnlessDone(serviceUserId: string, deadAccessToken: string): Promise<AccessTokenOutcome> {
  const pair = await readTokenPair(serviceUserId);
  if (!pair) return { kind: "reauthorization_required" };
  // Somebody was here while we waited for the lock.
  if (pair.accessToken !== deadAccessToken && pair.isAccessTokenFresh) {
    return { kind: "ok", accessToken: pair.accessToken };
  }
  if (pair.isRefreshTokenLive) {
    // Should this process die between the answer and the next line, the old refresh token still stands in the database
    // and still works: the service lets it be used until its own ten days end.
    const answer = await refreshTokens(pair.refreshToken);
    if (answer.kind === "ok") {
      await storeTokenPair(database(), serviceUserId, answer.body);
      return { kind: "ok", accessToken: answer.body.access_token };
    }
    if (answer.kind === "unreachable" || answer.reason !== "invalid_grant") return answer;
  }
  await forgetTokenPair(pair);
  return { kind: "reauthorization_required" };
}

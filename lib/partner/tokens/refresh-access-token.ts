import { processWide } from "../../kit/memoize.ts";
import { service } from "../service.ts";
import { decisionOf, type Unsuccessful } from "../service-client/answer.ts";
import { database } from "../storage/database.ts";
import { withRefreshLock } from "../storage/locks.ts";
import { forgetTokenPair, readTokenPair, storeTokenPair } from "./token-pairs.ts";

/** There is no live refresh token: only the person can help, by authorizing again. */
export type ReauthorizationRequired = { kind: "reauthorization_required" };

/** A usable access token, or why there is none. */
export type AccessTokenOutcome = { kind: "ok"; accessToken: string } | ReauthorizationRequired | Unsuccessful;

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
    const answer = await service().refreshTokens(pair.refreshToken);
    if (answer.kind === "ok") {
      await storeTokenPair(database(), serviceUserId, answer.body);
      return { kind: "ok", accessToken: answer.body.access_token };
    }
    if (answer.kind !== "refused") return answer;
    const isFinal = answer.reason === "invalid_grant" || decisionOf(answer) === "definite";
    // A 401 that does not say of what: perhaps of our own credential. The person may authorize again, and the pair stays.
    if (!isFinal && answer.status === 401 && answer.reason !== "invalid_client")
      return { kind: "reauthorization_required" };
    if (!isFinal) return answer;
  }
  await forgetTokenPair(pair);
  return { kind: "reauthorization_required" };
}

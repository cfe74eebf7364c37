import type { Answer } from "../service-client/call-service.ts";
import { type AccessTokenOutcome, type ReauthorizationRequired, refreshAccessToken } from "./refresh-access-token.ts";
import { readTokenPair } from "./token-pairs.ts";

/**
 * Calls the service on behalf of one of its users. The current access token serves every call; it is refreshed only when
 * the service turns it away (expired, or superseded by a newer one) or within 60 s of its expiry, and then the call is
 * made once more.
 */
export async function withAccessToken<Body>(
  serviceUserId: string,
  call: (accessToken: string) => Promise<Answer<Body>>,
): Promise<Answer<Body> | ReauthorizationRequired> {
  const current = await currentAccessToken(serviceUserId);
  if (current.kind !== "ok") return current;
  const answer = await call(current.accessToken);
  // The status and not the reason: that a dead token is a 401 holds for any service, what its body says does not.
  const isTurnedAway = answer.kind === "refused" && answer.status === 401;
  if (!isTurnedAway) return answer;
  const fresh = await refreshAccessToken(serviceUserId, current.accessToken);
  return fresh.kind === "ok" ? call(fresh.accessToken) : fresh;
}

async function currentAccessToken(serviceUserId: string): Promise<AccessTokenOutcome> {
  const pair = await readTokenPair(serviceUserId);
  if (!pair) return { kind: "reauthorization_required" };
  if (pair.isAccessTokenFresh) return { kind: "ok", accessToken: pair.accessToken };
  return refreshAccessToken(serviceUserId, pair.accessToken);
}

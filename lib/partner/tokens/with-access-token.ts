import type { Answer, Refused } from "../service-client/answer.ts";
import { type AccessTokenOutcome, type ReauthorizationRequired, refreshAccessToken } from "./refresh-access-token.ts";
import { decryptAccessToken, findCurrentPair, noteAccessTokenEnded } from "./token-pairs.ts";

/**
 * Calls the service on behalf of one of its users. The current access token serves every call; it is refreshed only when
 * the service turns it away (expired, or superseded by a newer one) or within 60 s of its expiry, and then the call is
 * made once more. One that the service calls dead is not sent again, also when no new one could be got.
 * @param current for several calls at once: what `currentAccessToken` has just told
 */
export async function withAccessToken<Body>(
  serviceUserId: string,
  call: (accessToken: string) => Promise<Answer<Body>>,
  current?: AccessTokenOutcome,
): Promise<Answer<Body> | ReauthorizationRequired> {
  current ??= await currentAccessToken(serviceUserId);
  if (current.kind !== "ok") return current;
  const answer = await call(current.accessToken);
  if (answer.kind !== "refused" || !(await isAboutToken(answer, serviceUserId))) return answer;
  const fresh = await refreshAccessToken(serviceUserId, current.accessToken);
  if (fresh.kind === "ok") return call(fresh.accessToken);
  if (saysThatTokenIsDead(answer.reason)) await noteAccessTokenEnded(serviceUserId, current.accessToken);
  return fresh;
}

// A dead token is a 401 at any service, whatever its body says. As a 403 it is told from a missing permission by the
// reason that it gives, or by our own reckoning.
async function isAboutToken({ status, reason, description }: Refused, serviceUserId: string): Promise<boolean> {
  if (status === 401) return true;
  if (status !== 403) return false;
  // Without a reason the sentence must do: the published error is that the token has expired.
  const namesToken = saysThatTokenIsDead(reason) || (reason === "unknown" && /token.*expired/is.test(description));
  return namesToken || (await findCurrentPair(serviceUserId))?.isAccessTokenFresh === false;
}

// A 401 without such a reason may be of something else, and the token still good.
function saysThatTokenIsDead(reason: string): boolean {
  return /token/i.test(reason) && /expired|invalid|revoked|superseded/i.test(reason);
}

/** The access token with which to call the service for this user, refreshed if it is about to expire. */
export async function currentAccessToken(serviceUserId: string): Promise<AccessTokenOutcome> {
  const pair = await findCurrentPair(serviceUserId);
  if (!pair) return { kind: "reauthorization_required" };
  const accessToken = await decryptAccessToken(pair);
  if (pair.isAccessTokenFresh) return { kind: "ok", accessToken };
  return refreshAccessToken(serviceUserId, accessToken);
}

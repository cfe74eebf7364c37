import { partnerConfig } from "../config.ts";
import { service } from "../service.ts";
import type { Refused, Unreachable, Unsuccessful } from "../service-client/answer.ts";
import { withRefreshLock } from "../storage/locks.ts";
import { findCurrentPair, forgetTokenPair, readTokenPair } from "./token-pairs.ts";

/** Until when Harbor may act for a user, in ISO 8601: with its access token, and by refreshing. */
export type Connection =
  | { kind: "connected"; accessTokenExpiresAt: string; refreshTokenExpiresAt: string; issuedAt: string }
  | { kind: "disconnected" };

/** The health of the connection to one user of the service, without asking the service. */
export async function readConnection(serviceUserId: string): Promise<Connection> {
  const pair = await findCurrentPair(serviceUserId);
  if (!pair?.isRefreshTokenLive) return { kind: "disconnected" };
  const { accessTokenExpiresAt, refreshTokenExpiresAt, issuedAt } = pair;
  return {
    kind: "connected",
    accessTokenExpiresAt: accessTokenExpiresAt.toISOString(),
    refreshTokenExpiresAt: refreshTokenExpiresAt.toISOString(),
    issuedAt: issuedAt.toISOString(),
  };
}

/** `forgotten_here`: the service has no way to end it, so the tokens, now unknown to Harbor, live there until their time is over. */
export type Disconnected =
  | { kind: "disconnected" }
  | { kind: "forgotten_here" }
  | { kind: "failed"; trouble: Unsuccessful };

/**
 * Ends Harbor's authorization for a user, at the service and here. Unless the service did so, or cannot, nothing is
 * forgotten, so that it can be tried again: tokens that live on unknown to us would be worse.
 */
export function disconnect(serviceUserId: string): Promise<Disconnected> {
  // Under the lock, so that no refresh under way brings the pair back.
  return withRefreshLock(serviceUserId, async () => {
    const pair = await readTokenPair(serviceUserId);
    if (!pair) return { kind: "disconnected" };
    if (!partnerConfig().isRevocationUsed) {
      await forgetTokenPair(pair);
      return { kind: "forgotten_here" };
    }
    const answer = await service().revokeTokens(pair.refreshToken);
    const isRevoked = answer.kind === "ok" || answer.kind === "unreadable";
    if (!isRevoked && !cannotRevoke(answer)) return { kind: "failed", trouble: answer };
    await forgetTokenPair(pair);
    return { kind: isRevoked ? "disconnected" : "forgotten_here" };
  });
}

// Revocation is not published (Decision D10). Any other refusal, as of our own credential, leaves the tokens alive and us with the key.
function cannotRevoke(answer: Refused | Unreachable): boolean {
  return answer.kind === "refused" && [404, 405, 501].includes(answer.status);
}

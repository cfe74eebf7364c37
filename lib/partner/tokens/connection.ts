import { revokeTokens } from "../service-client/tokens.ts";
import { withRefreshLock } from "../storage/refresh-lock.ts";
import { forgetTokenPair, readTokenPair } from "./token-pairs.ts";

/** Until when Harbor may act for a user: with its access token, and by refreshing. */
export type Connection =
  | { kind: "connected"; accessTokenExpiresAt: Date; refreshTokenExpiresAt: Date; issuedAt: Date }
  | { kind: "disconnected" };

/** The health of the connection to one user of the service, without asking the service. */
export async function readConnection(serviceUserId: string): Promise<Connection> {
  const pair = await readTokenPair(serviceUserId);
  if (!pair?.isRefreshTokenLive) return { kind: "disconnected" };
  const { accessTokenExpiresAt, refreshTokenExpiresAt, issuedAt } = pair.row;
  return { kind: "connected", accessTokenExpiresAt, refreshTokenExpiresAt, issuedAt };
}

/**
 * Ends Harbor's authorization for a user, at the service and here. While the service cannot be asked nothing is
 * forgotten, so that it can be tried again: tokens that live on unknown to us would be worse.
 */
export function disconnect(serviceUserId: string): Promise<{ kind: "disconnected" | "unavailable" }> {
  // Under the lock, so that no refresh under way brings the pair back.
  return withRefreshLock(serviceUserId, async () => {
    const pair = await readTokenPair(serviceUserId);
    if (!pair) return { kind: "disconnected" };
    const answer = await revokeTokens(pair.refreshToken);
    const isPassingTrouble = answer.kind === "unreachable" || (answer.kind === "refused" && answer.status >= 429);
    if (isPassingTrouble) return { kind: "unavailable" };
    // Any other refusal: the token is unknown, or that service cannot revoke (Decision D10).
    await forgetTokenPair(pair);
    return { kind: "disconnected" };
  });
}

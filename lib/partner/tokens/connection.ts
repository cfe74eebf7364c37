import type { Partner } from "../partner.ts";
import { findTokenPair } from "../storage/token-pairs.ts";

/** Until when Harbor may act for a user, in ISO 8601: with its access token, and by refreshing. */
export type Connection =
  | { kind: "connected"; accessTokenExpiresAt: string; refreshTokenExpiresAt: string; issuedAt: string }
  | { kind: "disconnected" };

/** The health of the connection to one user of the service, without asking the service. */
export async function readConnection(partner: Partner, serviceUserId: string): Promise<Connection> {
  const pair = await findTokenPair(partner.db, serviceUserId);
  if (!pair || pair.refreshTokenSeconds <= 0) return { kind: "disconnected" };
  const { accessTokenExpiresAt, refreshTokenExpiresAt, issuedAt } = pair;
  return {
    kind: "connected",
    accessTokenExpiresAt: accessTokenExpiresAt.toISOString(),
    refreshTokenExpiresAt: refreshTokenExpiresAt.toISOString(),
    issuedAt: issuedAt.toISOString(),
  };
}

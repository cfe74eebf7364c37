import { createBatcher } from "../../kit/batcher.ts";
import { processWide } from "../../kit/memoize.ts";
import { sha256 } from "../../kit/secrets.ts";
import { refreshTokenPairs } from "../storage/token-pairs.ts";
import { hashesOf, newTokenPair, type TokenGrant } from "./token-grant.ts";

/**
 * Exchanges a refresh token for a new pair; the shown one stays usable until its own ten days end (published rule).
 * Refreshes that arrive together are served in one transaction, in their order of arrival.
 */
export async function refreshTokens(refreshToken: string, { clientId }: { clientId: string }): Promise<TokenGrant> {
  const pair = newTokenPair();
  const isGranted = await refresh()({ ...hashesOf(pair), clientId, shownTokenHash: sha256(refreshToken) });
  return isGranted ? { kind: "granted", ...pair } : { kind: "invalid_grant" };
}

const refresh = processWide("service.refreshes", () => createBatcher({ run: refreshTokenPairs }));

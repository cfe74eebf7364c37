import { log } from "../../kit/log.ts";
import { database } from "../storage/database.ts";
import { listUsersWithOldTokens } from "../storage/token-pairs.ts";
import { refreshAccessToken } from "./refresh-access-token.ts";
import { readTokenPair } from "./token-pairs.ts";

// The published advice: weekly, well inside the ten days of a refresh token.
const renewalDays = 7;

/**
 * Gets a new pair for every user whose pair is a week old, so that who does not come by for ten days need not authorize
 * again. One after another: this is nobody's rush.
 */
export async function renewOldTokens(): Promise<void> {
  for (const serviceUserId of await listUsersWithOldTokens(database(), { days: renewalDays })) {
    const pair = await readTokenPair(serviceUserId);
    if (!pair) continue;
    const outcome = await refreshAccessToken(serviceUserId, pair.accessToken);
    if (outcome.kind !== "ok") log().warn({ serviceUserId, kind: outcome.kind }, "a token pair could not be renewed");
  }
}

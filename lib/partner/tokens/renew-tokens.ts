import { log } from "../../kit/log.ts";
import { database } from "../storage/database.ts";
import { listUsersWithOldTokens } from "../storage/token-pairs.ts";
import { refreshAccessToken } from "./refresh-access-token.ts";
import { readTokenPair } from "./token-pairs.ts";

// The published advice: weekly, well inside the ten days of a refresh token.
const renewalDays = 7;
const pageSize = 50;
// Not urgent, and the service has others to serve.
const atOnceMax = 4;

/**
 * Gets a new pair for every user whose pair is a week old, so that somebody who stays away for ten days need not authorize
 * again. Page by page and a few at a time; one that fails or is slow holds up none of the others, and is tried in the next run.
 * @param isStopped asked before each user
 */
export async function renewOldTokens(isStopped: () => boolean = () => false): Promise<void> {
  let after = "";
  for (;;) {
    const page = await listUsersWithOldTokens(database(), { days: renewalDays, limit: pageSize, after });
    after = page.at(-1) ?? after;
    const isLast = page.length < pageSize;
    await Promise.all(Array.from({ length: atOnceMax }, () => renewFrom(page, isStopped)));
    if (isLast || isStopped()) return;
  }
}

/** Renews one after another of those that nobody has taken yet. */
async function renewFrom(users: string[], isStopped: () => boolean): Promise<void> {
  for (let user = users.shift(); user !== undefined && !isStopped(); user = users.shift()) await renew(user);
}

async function renew(serviceUserId: string): Promise<void> {
  try {
    const pair = await readTokenPair(serviceUserId);
    if (!pair) return;
    const outcome = await refreshAccessToken(serviceUserId, pair.accessToken);
    if (outcome.kind !== "ok") log().warn({ serviceUserId, kind: outcome.kind }, "a token pair could not be renewed");
  } catch (error) {
    log().error({ error, serviceUserId }, "renewing a token pair failed");
  }
}

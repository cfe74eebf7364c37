import { log } from "../../kit/log.ts";
import { database } from "../storage/database.ts";
import { type IssuedPair, listOldTokenPairs } from "../storage/token-pairs.ts";
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
    const page = await listOldTokenPairs(database(), { days: renewalDays, limit: pageSize, after });
    after = page.at(-1)?.serviceUserId ?? after;
    const isLast = page.length < pageSize;
    await Promise.all(Array.from({ length: atOnceMax }, () => renewFrom(page, isStopped)));
    if (isLast || isStopped()) return;
  }
}

/** Renews one after another of those that nobody has taken yet. */
async function renewFrom(pairs: IssuedPair[], isStopped: () => boolean): Promise<void> {
  for (let pair = pairs.shift(); pair && !isStopped(); pair = pairs.shift()) await renew(pair);
}

async function renew({ serviceUserId, issuedAt }: IssuedPair): Promise<void> {
  try {
    const pair = await readTokenPair(serviceUserId);
    // Whoever used it since it was listed may have a new one, which needs no renewal.
    if (pair?.row.issuedAt.getTime() !== issuedAt.getTime()) return;
    const outcome = await refreshAccessToken(serviceUserId, pair.accessToken);
    if (outcome.kind !== "ok") log().warn({ serviceUserId, kind: outcome.kind }, "a token pair could not be renewed");
  } catch (error) {
    log().error({ error, serviceUserId }, "renewing a token pair failed");
  }
}

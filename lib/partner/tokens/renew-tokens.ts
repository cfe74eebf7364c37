import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { listOldTokenPairs } from "../storage/token-pairs.ts";

// The published advice: weekly, well inside the ten days of a refresh token.
const renewalDays = 7;
const pageSize = 50;
// Not urgent, and the service has others to serve.
const atOnceMax = 4;

/**
 * Renews every pair that is a week old, page by page and a few at a time. One that fails or is slow holds up none of the
 * others, and is tried in the next run.
 * @param isStopped asked before each user
 */
export async function renewOldTokens(partner: Partner, isStopped: () => boolean = () => false): Promise<void> {
  let after = "";
  for (;;) {
    const page = await listOldTokenPairs(partner.db, { days: renewalDays, limit: pageSize, after });
    after = page.at(-1) ?? after;
    const isLast = page.length < pageSize;
    await Promise.all(Array.from({ length: atOnceMax }, () => renewFrom(partner, page, isStopped)));
    if (isLast || isStopped()) return;
  }
}

/** Renews one after another of the page's users that no other runner has taken. */
async function renewFrom(partner: Partner, userIds: string[], isStopped: () => boolean): Promise<void> {
  for (let id = userIds.shift(); id !== undefined && !isStopped(); id = userIds.shift()) await renew(partner, id);
}

async function renew(partner: Partner, serviceUserId: string): Promise<void> {
  try {
    const { kind } = (await partner.tokens.renew(serviceUserId)) ?? { kind: "ok" };
    if (kind !== "ok") log().warn({ serviceUserId, kind }, "a token pair could not be renewed");
  } catch (error) {
    log().error({ error, serviceUserId }, "renewing a token pair failed");
  }
}

import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { claimRenewal, listOldTokenPairs } from "../storage/token-pairs.ts";

// The published advice. A refresh token is valid for ten days.
const renewalDays = 7;
const pageSize = 50;
const atOnceMax = 4;

/**
 * Renews every pair that is a week old, a few at a time. A failed one is retried after pauses that grow to an hour.
 * `stopping` is checked before each user, and `progress` called after each.
 */
export async function renewOldTokens(partner: Partner, stopping?: AbortSignal, progress?: () => void): Promise<void> {
  let after = "";
  for (;;) {
    const page = await listOldTokenPairs(partner.db, { days: renewalDays, limit: pageSize, after });
    after = page.at(-1) ?? after;
    const isLast = page.length < pageSize;
    await Promise.all(Array.from({ length: atOnceMax }, () => renewFrom(partner, page, stopping, progress)));
    if (isLast || stopping?.aborted) return;
  }
}

async function renewFrom(
  partner: Partner,
  userIds: string[],
  stopping?: AbortSignal,
  progress?: () => void,
): Promise<void> {
  for (let id = userIds.shift(); id !== undefined && !stopping?.aborted; id = userIds.shift()) {
    await renew(partner, id);
    progress?.();
  }
}

async function renew(partner: Partner, serviceUserId: string): Promise<void> {
  try {
    if (!(await claimRenewal(partner.db, serviceUserId, { days: renewalDays }))) return;
    const { kind } = (await partner.tokens.renew(serviceUserId)) ?? { kind: "ok" };
    if (kind !== "ok") log().warn({ serviceUserId, kind }, "a token pair could not be renewed");
  } catch (error) {
    log().error({ error, serviceUserId }, "renewing a token pair failed");
  }
}

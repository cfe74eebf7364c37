import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { beginRead, claimSellersToAsk, keepUser } from "../storage/service-users.ts";

const secondsBetweenReads = 60;
const sellersMax = 20;
const waitMs = 2000;

/**
 * Asks again about sellers who are about to be offered, since the webhook of a suspension may never come: each at most once a
 * minute, twenty at a time. Resolves when they were read, after 2 s at the latest.
 */
export async function refreshSellers(partner: Partner): Promise<void> {
  const ids = await claimSellersToAsk(partner.db, { limit: sellersMax, seconds: secondsBetweenReads });
  const reading = Promise.all(ids.map((id) => refreshUserStatus(partner, id)));
  await waitAtMost(
    waitMs,
    reading.catch((error) => log().error({ error }, "reading sellers again failed")),
  );
}

/** Reads a user's record with their own token and keeps its status; answers how that went. */
export async function refreshUserStatus(partner: Partner, id: string, options: { traceId?: TraceId } = {}) {
  const read = await beginRead(partner.db);
  const answer = await partner.tokens.call(id, (accessToken) => partner.client.readUser(accessToken, options));
  if (answer.kind === "ok") await keepUser(partner.db, id, { status: answer.body.status }, read);
  return answer.kind;
}

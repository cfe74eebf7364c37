import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { service } from "../service.ts";
import { database } from "../storage/database.ts";
import { beginRead, claimSellersToAsk, keepUser } from "../storage/service-users.ts";
import { tokens } from "../tokens/token-store.ts";

const secondsBetweenReads = 60;
const sellersMax = 20;
const waitMs = 2000;

/**
 * Asks again about sellers who are about to be offered, since the webhook of a suspension may never come: each at most once a
 * minute, twenty at a time. Resolves when they were read, after 2 s at the latest.
 */
export async function refreshSellers(): Promise<void> {
  const ids = await claimSellersToAsk(database(), { limit: sellersMax, seconds: secondsBetweenReads });
  const reading = Promise.all(ids.map((id) => refreshUserStatus(id)));
  await waitAtMost(
    waitMs,
    reading.catch((error) => log().error({ error }, "reading sellers again failed")),
  );
}

/** Reads a user's record with their own token and keeps its status; answers how that went. */
export async function refreshUserStatus(id: string, options: { traceId?: TraceId } = {}) {
  const read = await beginRead(database());
  const answer = await tokens().call(id, (accessToken) => service().readUser(accessToken, options));
  if (answer.kind === "ok") await keepUser(database(), id, { status: answer.body.status }, read);
  return answer.kind;
}

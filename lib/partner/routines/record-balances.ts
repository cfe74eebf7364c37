import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { type RoutineRow, storeRoutineBalance } from "../storage/routines.ts";
import type { BalanceMoment } from "../storage/schema.ts";

const waitMs = 1000;

/**
 * Records the balances of both accounts, so that the payment's page can show what it changed. Never throws. Resolves within
 * 1 s and drops later answers, because money may have moved by then.
 */
export async function recordBalances(partner: Partner, routine: RoutineRow, when: "before" | "after"): Promise<void> {
  const late = new AbortController();
  const { sourceId, destinationId, sellerUserId } = routine;

  async function record(serviceUserId: string, accountId: string, moment: BalanceMoment): Promise<void> {
    const answer = await partner.tokens.call(serviceUserId, (accessToken) =>
      partner.client.listAccounts(accessToken, { traceId: routine.traceId }),
    );
    if (answer.kind !== "ok" || late.signal.aborted) return;
    const balance = answer.body.items.find(({ id }) => id === accountId)?.current_balance;
    if (balance) await storeRoutineBalance(partner.db, routine.id, moment, balance);
  }

  const reading = Promise.all([
    record(partner.config.businessUserId, sourceId, `source_${when}`),
    record(sellerUserId, destinationId, `destination_${when}`),
  ]).catch((error) => log().error({ error, traceId: routine.traceId }, "reading the balances of a payment failed"));
  await waitAtMost(waitMs, reading);
  late.abort();
}

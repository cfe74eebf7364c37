import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { keepRoutineBalance, type RoutineRow } from "../storage/routines.ts";
import type { BalanceMoment } from "../storage/schema.ts";

const waitMs = 1000;

/**
 * Keeps what lies in both accounts of a payment, each read with its own user's token, so that its page can show what the
 * payment changed. Nothing depends on it: it never throws, resolves after 1 s at the latest, and what is told later is not
 * kept, because money may have moved meanwhile.
 */
export async function keepBalances(partner: Partner, routine: RoutineRow, when: "before" | "after"): Promise<void> {
  const late = new AbortController();
  const { sourceId, destinationId, sellerUserId } = routine;

  async function keep(serviceUserId: string, accountId: string, moment: BalanceMoment): Promise<void> {
    const answer = await partner.tokens.call(serviceUserId, (accessToken) =>
      partner.client.listAccounts(accessToken, { traceId: routine.traceId }),
    );
    if (answer.kind !== "ok" || late.signal.aborted) return;
    const told = answer.body.items.find(({ id }) => id === accountId)?.current_balance;
    if (told) await keepRoutineBalance(partner.db, routine.id, moment, told);
  }

  const reading = Promise.all([
    keep(partner.config.businessUserId, sourceId, `source_${when}`),
    keep(sellerUserId, destinationId, `destination_${when}`),
  ]).catch((error) => log().error({ error, traceId: routine.traceId }, "reading the balances of a payment failed"));
  await waitAtMost(waitMs, reading);
  late.abort();
}

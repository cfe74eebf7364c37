import type { LedgerRecord } from "#lib/contract/sandbox.ts";

/** One posting from one account to another; the amount is in US dollars. */
export type Movement = {
  postingId: string;
  transferId: string | null;
  sourceId: string;
  destinationId: string;
  amount: number;
  at: string;
};

/**
 * Pairs ledger entries into movements, in order. A posting split by the end of the page is dropped.
 */
export function movementsOf(entries: LedgerRecord["entries"]): Movement[] {
  const postings = Map.groupBy(entries, ({ posting_id }) => posting_id);
  return [...postings].flatMap(([postingId, both]) => {
    const [source, destination] = [both.find(({ amount }) => amount < 0), both.find(({ amount }) => amount > 0)];
    if (!source || !destination) return [];
    return {
      postingId,
      transferId: destination.transfer_id,
      sourceId: source.account_id,
      destinationId: destination.account_id,
      amount: destination.amount,
      at: destination.created_at,
    };
  });
}

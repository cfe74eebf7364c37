import type { LedgerRecord } from "#lib/contract/sandbox.ts";

/** Money that went from one account to another by one posting; the amount is in US dollars. */
export type Movement = {
  postingId: string;
  transferId: string | null;
  sourceId: string;
  destinationId: string;
  amount: number;
  at: string;
};

/**
 * The entries of a ledger as movements, in their order: the two entries of a posting are one. A posting of which the list
 * holds one entry only (it ends between them) is left out.
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

import { inTransaction } from "../../storage/database.ts";
import { type Ledger, readLedger as readBooks } from "../../storage/ledger.ts";

export type { Ledger } from "../../storage/ledger.ts";

// More than a person reads; the sum always covers all.
const entriesMax = 1000;

/** A client's books as of one moment, its newest 1,000 entries included. */
export function readLedger({ clientId }: { clientId: string }): Promise<Ledger> {
  return inTransaction((tx) => readBooks(tx, clientId, { entriesMax }), { readsOneMoment: true });
}

import { limits } from "../../contract/limits.ts";
import { inTransaction } from "../storage/database.ts";
import { type Ledger, readLedger as readBooks } from "../storage/ledger.ts";

export type { Ledger } from "../storage/ledger.ts";

/** A client's books as of one moment, with the newest of its entries. The sum covers all of them. */
export function readLedger({ clientId }: { clientId: string }): Promise<Ledger> {
  return inTransaction((tx) => readBooks(tx, clientId, { entriesMax: limits.ledgerEntriesMax }), {
    readsOneMoment: true,
  });
}

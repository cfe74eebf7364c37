import { readPart } from "../operations/list-part.ts";
import { type Books, listThingsInBooks, readBooks } from "../storage/accounts.ts";
import { inTransaction } from "../storage/database.ts";
import type { Page } from "../storage/routines.ts";

/** A page of a client's books; `next` is the id to continue after, or null on the last page. */
export type Ledger = Books & { next: string | null };

/** A page of a client's books as of one moment: accounts, holds and postings, newest first by their ids. */
export function readLedger({ clientId, ...page }: Page & { clientId: string }): Promise<Ledger> {
  return inTransaction(
    async (tx) => {
      const { rows, next } = await readPart(page, (part) => listThingsInBooks(tx, { clientId, ...part }));
      return { ...(await readBooks(tx, clientId, rows)), next };
    },
    { readsOneMoment: true },
  );
}

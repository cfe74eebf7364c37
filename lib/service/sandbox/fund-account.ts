import { type Account, findAccountOfClient, fundAccount as postFunding } from "../storage/accounts.ts";
import { inTransaction } from "../storage/database.ts";

/** What became of adding money: the account as it is then, or why nothing moved. */
export type FundingOutcome =
  | { kind: "funded"; account: Account }
  | { kind: "not_found" }
  | { kind: "instrument_not_usable" };

/** Adds money from the funding account of the client to one of its users' accounts (Decision D16). */
export function fundAccount(
  { accountId, amountCents }: { accountId: string; amountCents: number },
  { clientId }: { clientId: string },
): Promise<FundingOutcome> {
  const ofClient = { id: accountId, clientId };
  return inTransaction(async (tx) => {
    if (!(await findAccountOfClient(tx, ofClient))) return { kind: "not_found" };
    const isFunded = await postFunding(tx, { accountId, amountCents });
    const account = await findAccountOfClient(tx, ofClient);
    return isFunded && account ? { kind: "funded", account } : { kind: "instrument_not_usable" };
  });
}

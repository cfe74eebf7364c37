import { amountFromCents, centsFromAmount } from "../../../contract/money.ts";
import { clientFunding } from "../../../contract/operator.ts";
import { findAccountOfClient, fundAccount, listAccounts } from "../../storage/accounts.ts";
import type { Db } from "../../storage/database.ts";
import { findOperatorChange } from "../../storage/operator-changes.ts";
import { findBusinessUser } from "../../storage/users.ts";
import type { ChangeRefusal, ClientChangeOperation } from "./audited-change.ts";

/**
 * Posts incoming money from a named treasury account to one of the client's. Idempotent: the same reference, amount,
 * account and treasury are the same payment.
 */
export const fundClient: ClientChangeOperation<typeof clientFunding> = {
  action: "fund",
  body: clientFunding,
  apply: async (tx, { id: clientId }, { amount, treasury, reference, account_id }) => {
    const accountId = (account_id ?? (await findOperatingAccountId(tx, clientId)))?.toLowerCase();
    if (!accountId) return refused("account_id", "This client has no open business account: open its business first.");
    const earlier = await findOperatorChange(tx, { clientId, reference });
    if (earlier) {
      const { amount: posted, treasury: from, account_id: to } = earlier.details;
      const isSame = posted === amount && from === treasury && to === accountId;
      if (isSame) return { kind: "made_before", change: earlier };
      return refused("reference", "Another payment was posted with this reference.");
    }
    const amountCents = centsFromAmount(amount);
    if (amountCents === undefined) throw new Error("The contract allows cents only.");
    if (!(await findAccountOfClient(tx, { id: accountId, clientId }))) {
      return refused("account_id", "This client has no such account.");
    }
    const posted = await fundAccount(tx, { accountId, amountCents, from: treasury });
    if (!posted) return refused("account_id", "This account is closed.");
    const details = {
      amount: amountFromCents(amountCents),
      treasury,
      treasury_id: posted.fundingId,
      account_id: accountId,
      posting_id: posted.postingId,
      reference,
    };
    return { kind: "applied", details, reference };
  },
};

async function findOperatingAccountId(tx: Db, clientId: string): Promise<string | undefined> {
  const business = await findBusinessUser(tx, clientId);
  const accounts = business ? await listAccounts(tx, business.id) : [];
  return accounts.find(({ type, status }) => type === "operating" && status === "open")?.id;
}

function refused(field: string, message: string): ChangeRefusal {
  return { kind: "refused", field, message };
}

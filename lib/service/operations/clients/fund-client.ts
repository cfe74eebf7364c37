import * as z from "zod/mini";
import { amountFromCents, centsFromAmount } from "../../../contract/money.ts";
import { clientFunding, fundingReversal } from "../../../contract/operator.ts";
import { findAccountOfClient, fundAccount, listAccounts, postFunding } from "../../storage/accounts.ts";
import type { Db } from "../../storage/database.ts";
import { findOperatorChange, type OperatorChange } from "../../storage/operator-changes.ts";
import { findBusinessUser } from "../../storage/people.ts";
import { type ClientChangeOperation, refused } from "./audited-change.ts";

/**
 * Posts incoming money from a named treasury account to one of the client's accounts. Idempotent: the same reference,
 * amount, account and treasury mean the same payment.
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
      if (isSame && (await findReversal(tx, earlier))) {
        return refused("reference", "This payment was reversed: post a new payment under a new reference.");
      }
      if (isSame) return { kind: "replayed", change: earlier };
      return refused("reference", "Another payment was posted with this reference.");
    }
    if (reversalReference.test(reference)) {
      return refused("reference", "This form of reference is kept for reversals: use the payment's own reference.");
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

/**
 * Posts incoming money back to its treasury account, once, if it's still available. Idempotent: the same reference
 * means the same reversal.
 */
export const reverseFunding: ClientChangeOperation<typeof fundingReversal> = {
  action: "reverse",
  body: fundingReversal,
  apply: async (tx, { id: clientId }, { reference }) => {
    const funding = await findOperatorChange(tx, { clientId, reference });
    if (funding?.action !== "fund") return refused("reference", "No payment was posted with this reference.");
    const earlier = await findReversal(tx, funding);
    if (earlier) return { kind: "replayed", change: earlier };
    const { amount, treasury, treasury_id, account_id } = fundingDetails.parse(funding.details);
    const cents = centsFromAmount(amount) ?? 0;
    const posting = { clientId, fundingId: treasury_id, accountId: account_id, amountCents: -cents };
    const posted = await postFunding(tx, posting);
    if (posted.kind === "not_open") return refused("reference", "The account of this payment is closed.");
    if (posted.kind === "too_little_available") {
      return refused("reference", "The account has less available than this payment: nothing was reversed.");
    }
    const details = { amount, treasury, treasury_id, account_id, posting_id: posted.postingId, reference };
    return { kind: "applied", details: { ...details, reverses: funding.id }, reference: reversalOf(funding) };
  },
};

const fundingDetails = z.object({
  amount: z.number(),
  treasury: z.string(),
  treasury_id: z.string(),
  account_id: z.string(),
});

// Unique, like a payment's reference, so the database refuses a second reversal too.
const reversalOf = ({ id }: OperatorChange) => `reversal of ${id}`;
const reversalReference = /^reversal of [0-9a-f-]{36}$/;

async function findReversal(tx: Db, funding: OperatorChange): Promise<OperatorChange | undefined> {
  return findOperatorChange(tx, { clientId: funding.clientId, reference: reversalOf(funding) });
}

async function findOperatingAccountId(tx: Db, clientId: string): Promise<string | undefined> {
  const business = await findBusinessUser(tx, clientId);
  const accounts = business ? await listAccounts(tx, business.id) : [];
  return accounts.find(({ type, status }) => type === "operating" && status === "open")?.id;
}

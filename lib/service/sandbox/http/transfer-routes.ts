import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import { accountRecord, amountFromCents, centsFromAmount, transferRecord } from "../../../contract/money.ts";
import {
  fundingRequest,
  type LedgerRecord,
  ledgerRecord,
  type SandboxTransferList,
  sandboxTransferList,
  transferDecision,
} from "../../../contract/sandbox.ts";
import { uuid } from "../../../contract/text.ts";
import { presentAccount, presentTransfer } from "../../http/api/money-routes.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { pageQuery } from "../../http/frame/read-request.ts";
import { refuse } from "../../http/frame/refusal.ts";
import { decideTransfer, fundAccount, type Ledger, listTransfers, readLedger } from "../money.ts";

const byId = z.object({ id: uuid });

const listTransfersRoute = defineRoute({
  operation: "listSandboxTransfers",
  method: "GET",
  path: "/sandbox/transfers",
  who: "client",
  documentation: {
    summary: "List all transfers",
    description: `The newest ${limits.pageSizeMax}, newest first.`,
    answer: { status: 200, body: sandboxTransferList },
  },
  handle: async ({ caller: { client } }) => {
    const body: SandboxTransferList = { transfers: (await listTransfers(client.id)).map(presentTransfer) };
    return { status: 200, body };
  },
});

const setTransferStatus = defineRoute({
  operation: "setSandboxTransferStatus",
  method: "POST",
  path: "/sandbox/transfers/:id/status",
  who: "client",
  params: byId,
  body: transferDecision,
  documentation: {
    summary: "Settle a transfer",
    answer: { status: 200, body: transferRecord },
    refusals: ["illegal_transition"],
  },
  handle: async ({ caller: { client }, params, body }) => {
    const decision = { id: params.id, status: body.status, failureReason: body.failure_reason };
    const outcome = await decideTransfer(decision, { clientId: client.id });
    switch (outcome.kind) {
      case "decided":
        return { status: 200, body: presentTransfer(outcome.transfer) };
      case "not_found":
        return refuse("not_found");
      case "illegal_transition":
        return refuse("illegal_transition", {
          detail: "Only a pending transfer can become processed, failed, or cancelled.",
        });
    }
  },
});

const postFunds = defineRoute({
  operation: "fundSandboxAccount",
  method: "POST",
  path: "/sandbox/accounts/:id/fund",
  who: "client",
  params: byId,
  body: fundingRequest,
  documentation: {
    summary: "Add money to an account",
    answer: { status: 200, body: accountRecord },
    refusals: ["instrument_not_usable"],
  },
  handle: async ({ caller: { client }, params, body }) => {
    const amountCents = centsFromAmount(body.amount) ?? 0;
    const outcome = await fundAccount({ accountId: params.id, amountCents }, { clientId: client.id });
    return outcome.kind === "funded" ? { status: 200, body: presentAccount(outcome.account) } : refuse(outcome.kind);
  },
});

const getLedger = defineRoute({
  operation: "getSandboxLedger",
  method: "GET",
  path: "/sandbox/ledger",
  who: "client",
  query: z.strictObject(pageQuery({ limit: limits.ledgerPageMax, limitMax: limits.ledgerPageMax })),
  documentation: {
    summary: "Read the ledger",
    description: `A page of the ledger, newest first. \`limit\` counts accounts, holds, and postings together, ${limits.ledgerPageMax} by default. Postings are never split across pages, so \`sum\`, the total of the page's entries, is 0. Accounts referenced by the page are included. Pass \`next\` to continue.`,
    answer: { status: 200, body: ledgerRecord },
  },
  handle: async ({ caller: { client }, query: { limit, starting_after: startingAfter } }) => ({
    status: 200,
    body: presentLedger(await readLedger({ clientId: client.id, limit, startingAfter })),
  }),
});

/** Operator actions on money, and the ledger. Decision D16 */
export const sandboxMoneyRoutes: Route[] = [listTransfersRoute, setTransferStatus, postFunds, getLedger];

function presentLedger({ accounts, holds, entries, sumCents, next }: Ledger): LedgerRecord {
  return {
    accounts: accounts.map((account) => ({
      ...presentAccount(account),
      user_id: account.userId,
      held: amountFromCents(account.heldCents),
    })),
    holds: holds.map(({ transferId, accountId, amountCents }) => ({
      transfer_id: transferId,
      account_id: accountId,
      amount: amountFromCents(amountCents),
    })),
    entries: entries.map(({ postingId, accountId, transferId, amountCents, createdAt }) => ({
      posting_id: postingId,
      account_id: accountId,
      transfer_id: transferId,
      amount: amountFromCents(amountCents),
      created_at: createdAt.toISOString(),
    })),
    sum: amountFromCents(sumCents),
    next,
  };
}

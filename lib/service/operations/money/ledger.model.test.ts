import fc from "fast-check";
import { expect, test } from "vitest";
import { fundAccount, listAccounts } from "../../storage/accounts.ts";
import { database, inTransaction } from "../../storage/database.ts";
import { advanceClock, createTestClient } from "../../testing/clients.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { bookTestRoutine, fundTestBusiness, insertTestSeller, transferIdOf } from "../../testing/routines.ts";
import { finishTransfer, settleDueTransfers } from "./settle-transfers.ts";

type Pending = { id: string; from: number; to: number; amountCents: number };
type Model = { balances: number[]; held: number[]; pending: Pending[] };

// Two operating accounts and a wallet. The wallet is the seller's, so it can only receive.
const accounts = [0, 1, 2] as const;
const step = fc.oneof(
  fc.record({
    kind: fc.constant("book" as const),
    from: fc.constantFrom(0, 1),
    to: fc.constantFrom(...accounts),
    amountCents: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.constantFrom(111, 112, 5_011, 5_012)),
  }),
  fc.record({
    kind: fc.constant("fund" as const),
    to: fc.constantFrom(...accounts),
    amountCents: fc.integer({ min: 1, max: 9_000 }),
  }),
  fc.record({
    kind: fc.constant("finish" as const),
    which: fc.nat(20),
    status: fc.constantFrom("processed" as const, "failed" as const, "cancelled" as const),
  }),
  fc.constant({ kind: "settle" as const }),
);

function end({ balances, held }: Model, { from, to, amountCents }: Pending, isProcessed: boolean): void {
  held[from] = (held[from] ?? 0) - amountCents;
  if (!isProcessed) return;
  balances[from] = (balances[from] ?? 0) - amountCents;
  balances[to] = (balances[to] ?? 0) + amountCents;
}

/** Plays the steps on a fresh client and on the model, and compares the two after each. */
async function play(steps: Step[]): Promise<void> {
  const client = await createTestClient();
  const business = await fundTestBusiness(client, [10_000, 0]);
  const seller = await insertTestSeller(client);
  const ids = [...business.accountIds, seller.walletId];
  const model: Model = { balances: [10_000, 0, 0], held: [0, 0, 0], pending: [] };

  for (const action of steps) {
    switch (action.kind) {
      case "book": {
        const { from, to, amountCents } = action;
        if (from === to) break;
        const order = { sourceId: ids[from] ?? "", destinationId: ids[to] ?? "", amountCents };
        const decision = await bookTestRoutine(business, order);
        const isEnough = (model.balances[from] ?? 0) - (model.held[from] ?? 0) >= amountCents;
        expect(decision.kind).toBe(isEnough ? "created" : "insufficient_funds");
        if (decision.kind !== "created") break;
        model.held[from] = (model.held[from] ?? 0) + amountCents;
        model.pending.push({ id: transferIdOf(decision), from, to, amountCents });
        break;
      }
      case "fund": {
        const { to, amountCents } = action;
        await inTransaction((tx) => fundAccount(tx, { accountId: ids[to] ?? "", amountCents }));
        model.balances[to] = (model.balances[to] ?? 0) + amountCents;
        break;
      }
      case "finish": {
        const [transfer] = model.pending.splice(action.which % Math.max(1, model.pending.length), 1);
        if (!transfer) break;
        const expected = { status: action.status, failureReason: action.status === "failed" ? "unspecified" : null };
        expect(await finishTransfer(transfer.id, expected, { clientId: client.clientId })).toBe(true);
        end(model, transfer, action.status === "processed");
        break;
      }
      case "settle": {
        await advanceClock(client, 2);
        await settleDueTransfers();
        const waits = ({ amountCents }: Pending) => amountCents % 100 === 12;
        for (const transfer of model.pending) {
          if (!waits(transfer)) end(model, transfer, transfer.amountCents % 100 !== 11);
        }
        model.pending = model.pending.filter(waits);
      }
    }
    const all = [
      ...(await listAccounts(database(), business.userId)),
      ...(await listAccounts(database(), seller.userId)),
    ];
    // The business has an account in addition to those of the model.
    const rows = ids.flatMap((id) => all.filter((account) => account.id === id));
    expect(rows.map(({ balanceCents }) => balanceCents)).toEqual(model.balances);
    expect(rows.map(({ heldCents }) => heldCents)).toEqual(model.held);
  }
  expect(await findLedgerProblems()).toEqual([]);
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

// After any sequence of bookings, fundings, decisions and settlements, the ledger equals plain arithmetic.
test("the ledger equals its model after every step of any history", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), play), { numRuns: 25 });
});

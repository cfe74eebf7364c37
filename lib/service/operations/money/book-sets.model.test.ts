import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nameOfKey, type StoredKey } from "../../domain/idempotency.ts";
import { type BookableAccount, judgeBooking } from "../../domain/transfers.ts";
import { listAccounts } from "../../storage/accounts.ts";
import { database } from "../../storage/database.ts";
import { createTestClient } from "../../testing/clients.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { closeAccount, fundTestBusiness, insertTestSeller, testBookRequest } from "../../testing/routines.ts";
import { serveSets } from "../run-set.ts";
import { type BookingOutcome, type BookRequest, booking } from "./create-book-routine.ts";

// Two sources with little money, a wallet, a closed wallet, and an unknown account; few keys, so that they recur.
const order = fc.record({
  source: fc.constantFrom(0, 0, 0, 1, 4),
  destination: fc.constantFrom(0, 2, 2, 2, 3, 4),
  amountCents: fc.integer({ min: 1, max: 60 }),
  key: fc.option(fc.nat(3), { freq: 2, nil: undefined }),
});
const sets = fc.array(fc.array(order, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 6 });
type Order = typeof order extends fc.Arbitrary<infer Value> ? Value : never;

async function world() {
  const client = await createTestClient();
  const business = await fundTestBusiness(client, [150, 40]);
  const [wallet, closed] = [await insertTestSeller(client), await insertTestSeller(client)];
  await closeAccount(database(), { id: closed.walletId, clientId: client.clientId });
  const ids = [...business.accountIds, wallet.walletId, closed.walletId, randomUUID()];
  const account = (userId: string, availableCents: number, isOpen = true): BookableAccount => {
    return { clientId: client.clientId, userId, isOpen, availableCents };
  };
  const accounts = [
    account(business.userId, 150),
    account(business.userId, 40),
    account(wallet.userId, 0),
    account(closed.userId, 0, false),
  ];
  const keys = Array.from({ length: 4 }, () => randomUUID());
  const requestOf = ({ source, destination, amountCents, key }: Order) =>
    testBookRequest(business, {
      sourceId: ids[source] ?? "",
      destinationId: ids[destination] ?? "",
      amountCents,
      idempotencyKey: key === undefined ? undefined : keys[key],
    });
  return { business, requestOf, accounts: new Map(accounts.map((one, index) => [ids[index] ?? "", one])) };
}

/** The outcome of sequential requests; updates the accounts and keys. */
function runOneByOne(requests: BookRequest[], accounts: Map<string, BookableAccount>, stored: Map<string, StoredKey>) {
  return requests.map((request) => {
    const { routineId, sourceId, amountCents, idempotency } = request;
    const verdict = judgeBooking(request, { accounts, keys: { stored, heldElsewhere: new Set() } });
    if (verdict?.kind === "replayed") return `replayed ${verdict.resourceId}`;
    if (verdict) return verdict.kind;
    const source = accounts.get(sourceId);
    if (source) source.availableCents -= amountCents;
    if (idempotency) stored.set(nameOfKey(idempotency), { ...idempotency, resourceId: routineId });
    return `created ${routineId}`;
  });
}

function describeOutcome(outcome: BookingOutcome): string {
  return "routine" in outcome ? `${outcome.kind} ${outcome.routine.id}` : outcome.kind;
}

// For any set, each request gets its outcome in a sequential run, a repeated key the first routine, and the
// balances match.
test("sets of bookings have the same outcome as sequential requests", async () => {
  const serve = serveSets(booking);
  const play = async (orders: Order[][]) => {
    const { business, requestOf, accounts } = await world();
    const stored = new Map<string, StoredKey>();
    for (const set of orders) {
      const requests = set.map(requestOf);
      const outcomes = await Promise.all(await serve(requests));
      expect(outcomes.map(describeOutcome)).toEqual(runOneByOne(requests, accounts, stored));
    }
    for (const { id, balanceCents, heldCents } of await listAccounts(database(), business.userId)) {
      const model = accounts.get(id);
      if (model) expect(balanceCents - heldCents).toBe(model.availableCents);
    }
  };
  await fc.assert(fc.asyncProperty(sets, play), { numRuns: 60 });
  expect(await findLedgerProblems()).toEqual([]);
});

import { expect, test } from "vitest";
import { createTestClient } from "../testing/clients.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { findLedgerProblems } from "../testing/ledger-problems.ts";
import { bookTestRoutine, fundTestBusiness, insertTestSeller, transferIdOf } from "../testing/routines.ts";
import { decideTransfer } from "./money.ts";

test("only one of several concurrent decisions ends a transfer, and the others are too late", async () => {
  const client = await createTestClient();
  const business = await fundTestBusiness(client, [1_000_000]);
  const { walletId } = await insertTestSeller(client);
  const [sourceId = ""] = business.accountIds;
  const id = transferIdOf(await bookTestRoutine(business, { sourceId, destinationId: walletId, amountCents: 500 }));

  const held = await holdRows("select from transfers where id = $1 for no key update", [id]);
  const decisions = Array.from({ length: 8 }, () =>
    decideTransfer({ id, status: "processed", failureReason: undefined }, { clientId: client.clientId }),
  );
  await held.waiters(8);
  await held.release();
  const kinds = (await Promise.all(decisions)).map(({ kind }) => kind).sort();
  expect(kinds).toEqual(["decided", ...Array.from({ length: 7 }, () => "illegal_transition")]);
  expect(await findLedgerProblems()).toEqual([]);
});

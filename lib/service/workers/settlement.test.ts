import { afterEach, beforeEach, expect, test } from "vitest";
import { quickestMs } from "../../kit/testing/quickest.ts";
import type { WakeLoop } from "../../kit/wake-loop.ts";
import { createTestClient } from "../testing/clients.ts";
import { findLedgerProblems } from "../testing/ledger-problems.ts";
import { bookTestRoutine, countTransfers, fundTestBusiness, insertTestSeller } from "../testing/routines.ts";
import { startSettlement } from "./start-workers.ts";

// Read by serviceConfig() on its first call.
process.env["SERVICE_SETTLEMENT_DELAY_MS"] = "60";

let workers: WakeLoop[] = [];

beforeEach(() => {
  workers = [startSettlement(), startSettlement()];
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
});

async function openBusiness() {
  const client = await createTestClient();
  const business = await fundTestBusiness(client, [1_000_000]);
  const { walletId: destinationId } = await insertTestSeller(client);
  return { client, business, sourceId: business.accountIds[0] ?? "", destinationId };
}

test("a transfer settles when it falls due, long before the next poll", async () => {
  const { client, business, sourceId, destinationId } = await openBusiness();
  let booked = 0;
  const settle = async () => {
    await bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 });
    booked++;
    await expect.poll(() => countTransfers(client, "processed")).toBe(booked);
  };
  expect(await quickestMs(4_500, settle)).toBeLessThan(4_500);
});

test("two workers settle each transfer of a burst larger than a batch once", async () => {
  const { client, business, sourceId, destinationId } = await openBusiness();
  await Promise.all(
    Array.from({ length: 700 }, () => bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 })),
  );
  await expect.poll(() => countTransfers(client, "processed"), { interval: 20 }).toBe(700);
  expect(await findLedgerProblems()).toEqual([]);
});

import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { settleDueTransfers } from "../operations/money/settle-transfers.ts";
import { database, inTransaction, servicePool } from "../storage/database.ts";
import { insertDeliveries } from "../storage/deliveries.ts";
import { createTestClient, type TestClient } from "../testing/clients.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { createIntent } from "../testing/people.ts";
import { bookTestRoutine, countTransfers, fundTestBusiness, insertTestSeller } from "../testing/routines.ts";
import { advanceClock, readClock } from "./clock.ts";
import { listDueItems } from "./storage/due-items.ts";

// Read by serviceConfig() on its first call: nothing falls due during a test.
process.env["SERVICE_SETTLEMENT_DELAY_MS"] = "3600000";

const hour = 3600;

// Anything written around a jump is due within an hour.
test("nothing written during a jump is due later than what's written after it", async () => {
  const client = await createTestClient();
  const book = await bookingOf(client);
  for (let round = 0; round < 5; round++) {
    await Promise.all([
      ...Array.from({ length: 10 }, book),
      ...Array.from({ length: 5 }, () => createIntent(client)),
      ...Array.from({ length: 3 }, () => advanceClock(client.clientId, { seconds: 7 * hour })),
      announce(client.clientId),
    ]);
    expect(await secondsUntilLast(client.clientId)).toBeLessThanOrEqual(hour);
  }
  expect((await readClock(client.clientId)).offsetSeconds).toBe(5 * 3 * 7 * hour);
  await advanceClock(client.clientId, { seconds: hour });
  await settleDueTransfers();
  expect([await countTransfers(client, "processed"), await countTransfers(client, "pending")]).toEqual([50, 0]);
});

test("concurrent jumps each move due items exactly once", async () => {
  const client = await createTestClient();
  const book = await bookingOf(client);
  await Promise.all([book(), book(), createIntent(client)]);
  const before = await dueTimesOf(client.clientId);
  expect(before.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["screening", "transfer"]));
  await Promise.all(Array.from({ length: 20 }, () => advanceClock(client.clientId, { seconds: 7 })));
  expect(await dueTimesOf(client.clientId)).toEqual(before);
});

test("a jump waits for an attempt being recorded, and moves its times", async () => {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9" } });
  await announce(client.clientId);
  const held = await holdRows(
    "update deliveries set next_attempt_real_at = now() + interval '1 hour' where client_id = $1",
    [client.clientId],
    { commit: true },
  );
  const jump = advanceClock(client.clientId, { seconds: hour });
  await held.waiters(1);
  await held.release();
  await jump;
  expect(await secondsUntilLast(client.clientId)).toBeLessThanOrEqual(0);
});

async function bookingOf(client: TestClient) {
  const business = await fundTestBusiness(client, [10_000_000]);
  const { walletId: destinationId } = await insertTestSeller(client);
  const [sourceId = ""] = business.accountIds;
  return async () => {
    const outcome = await bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 });
    expect(outcome.kind).toBe("created");
  };
}

function announce(clientId: string): Promise<void> {
  const event = { clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId(), traceId: "" };
  return inTransaction((tx) => insertDeliveries(tx, [event]));
}

function dueTimesOf(clientId: string) {
  return listDueItems(database(), { clientId, seconds: 2 * hour, limit: 100 });
}

/** Real seconds until a client's last item is due. */
async function secondsUntilLast(clientId: string): Promise<number> {
  const { rows } = await servicePool().query<{ seconds: number }>(
    `select extract(epoch from max(due_real_at) - now())::float8 as seconds from (
       select due_real_at from transfers where client_id = $1 and status = 'pending'
       union all select due_real_at from screenings where client_id = $1
       union all select next_attempt_real_at from deliveries where client_id = $1
     ) waiting`,
    [clientId],
  );
  return rows[0]?.seconds ?? Number.NaN;
}

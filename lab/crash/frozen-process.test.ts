import { afterEach, beforeEach, expect, test } from "vitest";
import { servicePool } from "../../lib/service/storage/database.ts";
import { checkHistory } from "./check-history.ts";
import { type Booking, isSuccess, type Operation, type Outcome } from "./history.ts";
import { sendBooking } from "./load.ts";
import type { RunClient } from "./people.ts";
import { type CrashRun, settle, startCrashRun } from "./run-crash.ts";
import type { ProxiedProcess } from "./stack.ts";
import { nothingFound } from "./testing.ts";

const patienceMs = 10_000;
const bookingsEach = 15;

let run: CrashRun;
const operations: Operation[] = [];
beforeEach(async () => {
  run = await startCrashRun({ apis: 2, clientCount: 2, sourceCount: 3 });
});
afterEach(() => run.stop());

// A booking is one statement, so our processes never hold an account lock between messages, but others might.
test("a process frozen with an account lock doesn't block other accounts or clients", async () => {
  const { stack, clients, receiver } = run;
  const [, living] = pairOf(stack.apis);
  const [client, otherClient] = pairOf(clients);
  const [heldId, ...otherIds] = client.sourceIds;
  for (const api of stack.apis) expect(await book(client, heldId, api)).toMatchObject({ status: 201 });

  const thaw = await freezeWithLock(heldId);
  let isOver = false;
  const waiting = Promise.all([1, 2, 3].map(() => bookWhile(() => !isOver, client, heldId, living)));
  const others = await Promise.all([
    ...otherIds.map((sourceId) => bookTimes(client, sourceId, living)),
    ...otherClient.sourceIds.map((sourceId) => bookTimes(otherClient, sourceId, living)),
  ]);
  isOver = true;
  const waited = (await waiting).flat();
  await thaw();

  expect(others.flat().filter((outcome) => !isSuccess(outcome))).toEqual([]);
  // Bookings for this account get 503, or succeed once PostgreSQL ends the frozen transaction.
  expect(waited.filter((outcome) => !isSuccess(outcome) && !isPutOff(outcome))).toEqual([]);
  expect(waited.some(isPutOff)).toBe(true);

  for (const api of stack.apis) await expect.poll(() => book(client, heldId, api)).toMatchObject({ status: 201 });
  await settle({ awaitsLeases: false });
  expect(await checkHistory({ operations, repeatAcknowledged: async () => [] }, receiver.deliveries)).toEqual(
    nothingFound,
  );
  expect([...stack.apis, stack.worker].flatMap(({ endings }) => endings)).toEqual([]);
});

/** Locks an account in an idle transaction, with the usual timeouts. */
async function freezeWithLock(accountId: string): Promise<() => Promise<void>> {
  const connection = await servicePool().connect();
  connection.on("error", () => undefined);
  await connection.query("begin");
  await connection.query("select from accounts where id = $1 for no key update", [accountId]);
  return async () => {
    await connection.query("rollback").catch(() => undefined);
    connection.release(true);
  };
}

async function bookTimes(client: RunClient, sourceId: string, api: ProxiedProcess): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (outcomes.length < bookingsEach && !outcomes.some((outcome) => !isSuccess(outcome)))
    outcomes.push(await book(client, sourceId, api));
  return outcomes;
}

async function bookWhile(
  isWanted: () => boolean,
  client: RunClient,
  sourceId: string,
  api: ProxiedProcess,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (isWanted()) outcomes.push(await book(client, sourceId, api));
  return outcomes;
}

function book(client: RunClient, sourceId: string, api: ProxiedProcess): Promise<Outcome> {
  return sendBooking(newBooking(client, sourceId), { client, api, patienceMs });
}

function newBooking(client: RunClient, sourceId: string): Booking {
  const [destinationId] = client.walletIds;
  const name = `booking-${operations.length + 1}`;
  const booking: Booking = {
    kind: "booking",
    name,
    key: undefined,
    amountCents: 250,
    sourceId,
    destinationId,
    attempts: [],
  };
  operations.push(booking);
  return booking;
}

function isPutOff(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.status === 503 && outcome.retryAfter;
}

function pairOf<T>([first, second]: T[]): [T, T] {
  if (first === undefined || second === undefined) throw new Error("There must be two.");
  return [first, second];
}

import { randomUUID } from "node:crypto";
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
}, 300_000);
afterEach(() => run.stop(), 60_000);

test("a process frozen while it holds one account's lock stops no booking of another account or client", async () => {
  const { stack, clients, receiver } = run;
  const [frozen, living] = pairOf(stack.apis);
  const [client, otherClient] = pairOf(clients);
  const [heldId, ...otherIds] = client.sourceIds;
  for (const api of stack.apis) expect(await book(client, heldId, api)).toMatchObject({ status: 201 });

  const { answer, thaw } = await freezeWithLock(frozen, { client, sourceId: heldId });
  let isOver = false;
  const waiting = Promise.all([1, 2, 3].map(() => bookWhile(() => !isOver, client, heldId, living)));
  const others = await Promise.all([
    ...otherIds.map((sourceId) => bookTimes(client, sourceId, living)),
    ...otherClient.sourceIds.map((sourceId) => bookTimes(otherClient, sourceId, living)),
  ]);
  isOver = true;
  const waited = (await waiting).flat();
  thaw();
  const own = await answer;

  expect(others.flat().filter((outcome) => !isSuccess(outcome))).toEqual([]);
  // Bookings that need this account are answered 503, or succeed once PostgreSQL has ended the frozen transaction.
  expect(waited.filter((outcome) => !isSuccess(outcome) && !isPutOff(outcome))).toEqual([]);
  expect(waited.some(isPutOff)).toBe(true);
  expect(isSuccess(own) || isPutOff(own) || own.kind === "none").toBe(true);

  for (const api of stack.apis)
    await expect.poll(() => book(client, heldId, api), eventually).toMatchObject({ status: 201 });
  await settle({ awaitsLeases: false });
  expect(await checkHistory({ operations, repeatAcknowledged: async () => [] }, receiver.deliveries)).toEqual(
    nothingFound,
  );
  expect([...stack.apis, stack.worker].flatMap(({ endings }) => endings)).toEqual([]);
}, 300_000);

const eventually = { timeout: 30_000 };

/**
 * Lets a process repeat a booking and freezes it at the COMMIT, when it has the account's lock: a repetition takes a
 * transaction, while a booking that is easy holds nothing between two messages. `answer` is what its client gets at last.
 */
async function freezeWithLock(api: ProxiedProcess, { client, sourceId }: { client: RunClient; sourceId: string }) {
  const booking = newBooking(client, sourceId, { key: randomUUID() });
  expect(await sendBooking(booking, { client, api, patienceMs })).toMatchObject({ status: 201 });
  const caught = catchBookingCommit(api);
  const answer = sendBooking(booking, { client, api, patienceMs: 120_000 });
  const goOn = await caught;
  const resume = api.pause();
  return {
    answer,
    thaw: () => {
      resume();
      goOn();
    },
  };
}

// Other transactions of the process go on: only one that has locked an account is the booking.
function catchBookingCommit(api: ProxiedProcess): Promise<() => void> {
  let isCaught = false;
  return new Promise((resolve) => {
    arm();

    function arm(): void {
      api.proxy.atNextCommit("before", async ({ clientPort }, goOn) => {
        if (isCaught) return goOn();
        // Another one may come while we look.
        arm();
        if (!(await hasLockedAccount(clientPort))) return goOn();
        isCaught = true;
        resolve(goOn);
      });
    }
  });
}

async function hasLockedAccount(clientPort: number | undefined): Promise<boolean> {
  const { rowCount } = await servicePool().query(
    `select from pg_stat_activity a join pg_locks l using (pid)
     where a.client_port = $1 and a.state = 'idle in transaction'
       and l.relation = 'accounts'::regclass and l.mode = 'RowShareLock' and l.granted`,
    [clientPort],
  );
  return rowCount === 1;
}

// Until the first that is not booked: one is enough to be wrong.
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

function newBooking(client: RunClient, sourceId: string, { key }: { key?: string } = {}): Booking {
  const [destinationId] = client.walletIds;
  const name = `booking-${operations.length + 1}`;
  const booking: Booking = { kind: "booking", name, key, amountCents: 250, sourceId, destinationId, attempts: [] };
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

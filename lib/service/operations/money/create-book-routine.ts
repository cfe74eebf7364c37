import { createBatcher } from "../../../kit/batcher.ts";
import { newId } from "../../../kit/ids.ts";
import { OutcomeUnknownError, runSingleStatement } from "../../../kit/transaction.ts";
import { perCell } from "../../cells.ts";
import { serviceConfig } from "../../config.ts";
import type { KeyVerdict } from "../../domain/idempotency.ts";
import { type Booking, type BookingRefusal, judgeBooking, withTotals } from "../../domain/transfers.ts";
import { countBooking } from "../../metrics.ts";
import { providers } from "../../providers.ts";
import {
  bookRoutines,
  findBookableAccounts,
  findRoutinesAsCreated,
  lockRoutinesAsCreated,
} from "../../storage/book-routines.ts";
import { inTransaction, servicePool } from "../../storage/database.ts";
import { lockAndReadKeys } from "../../storage/idempotency-keys.ts";
import type { RoutineWithTransfer } from "../../storage/routines.ts";
import { voidKey } from "../idempotency.ts";
import { type Busy, type SetOperation, type SetOptions, type Skipped, serveSets, untilSettled } from "../run-set.ts";
import type { UserCaller } from "../tokens/authenticate.ts";

/** Amount in cents, ids in any case. */
export type BookRoutineOrder = Pick<Booking, "amountCents" | "sourceId" | "destinationId" | "idempotency"> & {
  name: string;
  traceId: string;
};

/** A created or replayed routine is returned as it was created. */
export type BookingOutcome =
  | { kind: "created" | "replayed"; routine: RoutineWithTransfer }
  | Exclude<KeyVerdict, { kind: "replayed" }>
  | { kind: BookingRefusal }
  | Busy;

/**
 * An order with the ids of its routine and transfer, ids in lower case. `isInDoubt`: the connection broke, and the
 * statement may still arrive.
 */
export type BookRequest = Booking & BookRoutineOrder & { transferId: string; isInDoubt: boolean };

export function refusalToBook({ user, clientBusinessProfileId }: UserCaller) {
  if (user.userType !== "business" || user.businessProfileId !== clientBusinessProfileId)
    return "business_user_required";
  return user.status === "approved" ? undefined : "user_not_approved";
}

/**
 * Creates a routine with its transfer and holds the money, or does nothing. Concurrent requests are booked in one
 * statement, as if one after another. Waits up to 2 seconds for a request with the same key, or for a transaction that
 * holds the source account.
 */
export async function createBookRoutine(order: BookRoutineOrder, caller: UserCaller): Promise<BookingOutcome> {
  let outcome: BookingOutcome["kind"] | "unknown" | "error" = "error";
  try {
    const booked = await bookOrFindOut(order, caller);
    outcome = booked.kind;
    return booked;
  } catch (error) {
    if (error instanceof OutcomeUnknownError) outcome = "unknown";
    throw error;
  } finally {
    countBooking(outcome, order.amountCents);
  }
}

async function bookOrFindOut(order: BookRoutineOrder, caller: UserCaller): Promise<BookingOutcome> {
  const request = newBookRequest(order, caller);
  let outcome: BookingOutcome | undefined;
  try {
    outcome = await untilSettled(() => book()(request));
    if (!request.isInDoubt || outcome.kind === "created") return outcome;
  } catch (error) {
    if (!request.isInDoubt || error instanceof OutcomeUnknownError) throw error;
  }
  return settleDoubt(request, outcome);
}

export function newBookRequest(order: BookRoutineOrder, { clientId, user }: UserCaller): BookRequest {
  return {
    ...order,
    routineId: newId(),
    transferId: newId(),
    clientId,
    userId: user.id,
    sourceId: order.sourceId.toLowerCase(),
    destinationId: order.destinationId.toLowerCase(),
    isInDoubt: false,
  };
}

/** Voids a booking's key, or returns its routine. Waits up to 2 seconds for a booking in progress. */
export async function voidBookRoutine(key: string, { clientId, user }: UserCaller) {
  const voided = await voidKey({ clientId, userScope: user.id, operation: "createBookRoutine", key });
  if (voided.kind !== "replayed") return voided;
  return { kind: voided.kind, routine: await readRoutineAsCreated(voided.resourceId) };
}

export async function readRoutineAsCreated(id: string): Promise<RoutineWithTransfer> {
  return routineIn(await findRoutinesAsCreated(servicePool(), [id]), id);
}

export const booking: SetOperation<BookRequest, BookingOutcome> = { attempt: bookTogether, judge: judgeSkipped };

// One set per source account at a time: two would only wait for each other's lock, and the later one could win it.
const book = perCell("service.book_routines", () =>
  createBatcher({
    name: "set of bookings",
    run: serveSets(booking),
    nameOf: ({ sourceId }: BookRequest) => sourceId,
  }),
);

async function bookTogether(requests: BookRequest[], options: SetOptions): Promise<(BookingOutcome | Skipped)[]> {
  const contending = withTotals(requests).map(({ request, totalRequestedCents }) => {
    return { ...request, totalRequestedCents, dueInMs: delayOf(request) };
  });
  const booked = await runSingleStatement(servicePool(), {
    run: (connection) => bookRoutines(connection, contending, options),
    readBack: (connection) =>
      lockRoutinesAsCreated(
        connection,
        contending.map(({ routineId }) => routineId),
      ),
    onLost: () => {
      for (const request of requests) request.isInDoubt = true;
    },
  });
  return requests.map((request) => {
    const one = booked.get(request.routineId);
    if (one?.at) return { kind: "created", routine: routineOf(request, one.at) };
    if (one?.isKeyFree === false) return { kind: "idempotency_in_progress" };
    return one?.isSourceLocked === false ? "held" : "crowded";
  });
}

// Holds the keys in a transaction, because a refusal says that nothing was created with them.
function judgeSkipped(requests: BookRequest[]): Promise<(BookingOutcome | undefined)[]> {
  return inTransaction(
    async (_tx, connection) => {
      const keys = await lockAndReadKeys(
        connection,
        requests.map(({ idempotency }) => idempotency),
      );
      const accounts = await findBookableAccounts(connection, requests);
      // The verdict on a repeated key depends on the request before it.
      const first = new Set(withTotals(requests).map(({ request }) => request));
      const verdicts = requests.map((one) => (first.has(one) ? judgeBooking(one, { accounts, keys }) : undefined));
      const replayed = verdicts.flatMap((verdict) => (verdict?.kind === "replayed" ? verdict.resourceId : []));
      const routines = await findRoutinesAsCreated(connection, replayed);
      return verdicts.map((verdict) => {
        if (verdict?.kind !== "replayed") return verdict;
        return { kind: "replayed", routine: routineIn(routines, verdict.resourceId) };
      });
    },
    { wasCommitted: async () => true },
  );
}

/**
 * Answers a request whose statement may still arrive. A refusal requires voiding its key first; without a key there's
 * no answer.
 */
async function settleDoubt(request: BookRequest, outcome: BookingOutcome | undefined): Promise<BookingOutcome> {
  const { routineId, idempotency } = request;
  const voided = idempotency && (await voidKey(idempotency));
  if (voided?.kind === "voided") return { kind: "idempotency_key_voided" };
  const created = (await findRoutinesAsCreated(servicePool(), [routineId])).get(routineId);
  if (created) return { kind: "created", routine: created };
  // The key belongs to another request's routine.
  if (voided?.kind === "replayed" && outcome) return outcome;
  throw new OutcomeUnknownError(new Error("a booking may still be in flight to the database"));
}

// Null for never: it waits for an operator (Decision D13).
function delayOf({ amountCents }: BookRequest): number | null {
  return providers().settlementOf(amountCents) === "by_hand" ? null : serviceConfig().settlementDelayMs;
}

function routineOf(request: BookRequest, at: Date): RoutineWithTransfer {
  const { routineId: id, transferId, name, amountCents, sourceId, destinationId } = request;
  const times = { createdAt: at, updatedAt: at };
  return { id, name, status: "active", transferId, amountCents, sourceId, destinationId, ...times };
}

function routineIn(routines: ReadonlyMap<string, RoutineWithTransfer>, id: string): RoutineWithTransfer {
  const routine = routines.get(id);
  if (!routine) throw new Error("A routine that was created must be found.");
  return routine;
}

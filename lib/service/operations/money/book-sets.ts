import { newId } from "../../../kit/ids.ts";
import { runSingleStatement } from "../../../kit/single-statement.ts";
import { serviceConfig } from "../../config.ts";
import { type Booking, type BookingRefusal, judgeBooking, withTotals } from "../../domain/book-routines.ts";
import type { IdempotencyKey, KeyVerdict } from "../../domain/idempotency.ts";
import { settlementDelayOf } from "../../domain/settlement.ts";
import { providers } from "../../providers.ts";
import { bookRoutines, findBookableAccounts, findRoutinesAsCreated } from "../../storage/book-routines.ts";
import { inTransaction, servicePool } from "../../storage/database.ts";
import type { RoutineWithTransfer } from "../../storage/routines.ts";
import { takeKeys } from "../idempotency.ts";
import type { Busy, LeftOut, SetOperation, SetOptions } from "../run-set.ts";
import type { UserCaller } from "../tokens/authenticate-access-token.ts";

/** A book transfer to create; amount in cents, ids in any case. */
export type BookRoutineOrder = {
  name: string;
  amountCents: number;
  sourceId: string;
  destinationId: string;
  idempotency: IdempotencyKey | undefined;
  traceId: string;
};

/** What became of an order. A routine that was created now, or by the request that this one repeats, as it was created. */
export type BookingOutcome =
  | { kind: "created" | "replayed"; routine: RoutineWithTransfer }
  | Exclude<KeyVerdict, { kind: "replayed" }>
  | { kind: BookingRefusal }
  | Busy;

/** An order of a user under the ids that its routine and transfer will have, ids in lower case. */
export type BookRequest = Booking & BookRoutineOrder & { transferId: string };

/** The request that a caller makes with an order. */
export function newBookRequest(order: BookRoutineOrder, { clientId, user }: UserCaller): BookRequest {
  return {
    ...order,
    routineId: newId(),
    transferId: newId(),
    clientId,
    userId: user.id,
    sourceId: order.sourceId.toLowerCase(),
    destinationId: order.destinationId.toLowerCase(),
  };
}

/** Books a set of requests. */
export const booking: SetOperation<BookRequest, BookingOutcome> = { attempt: bookTogether, judge: judgeLeftOut };

async function bookTogether(requests: BookRequest[], options: SetOptions): Promise<(BookingOutcome | LeftOut)[]> {
  const contending = withTotals(requests).map(({ request, totalRequestedCents }) => {
    return { ...request, totalRequestedCents, dueInMs: delayOf(request) };
  });
  const booked = await runSingleStatement(servicePool(), {
    run: (connection) => bookRoutines(connection, contending, options),
    readBack: async (pool) => {
      const found = await findRoutinesAsCreated(
        pool,
        contending.map(({ routineId }) => routineId),
      );
      return new Map(
        [...found].map(([id, { createdAt: at }]) => [id, { at, isKeyFree: true, isSourceLocked: true } as const]),
      );
    },
  });
  return requests.map((request) => {
    const one = booked.get(request.routineId);
    if (one?.at) return { kind: "created", routine: routineOf(request, one.at) };
    if (one?.isKeyFree === false) return { kind: "idempotency_in_progress" };
    return one?.isSourceLocked === false ? "held" : "crowded";
  });
}

// In a transaction that holds the keys: a refusal says that nothing was created under them.
function judgeLeftOut(requests: BookRequest[]): Promise<(BookingOutcome | undefined)[]> {
  return inTransaction(async (_tx, connection) => {
    const keys = await takeKeys(
      connection,
      requests.map(({ idempotency }) => idempotency),
    );
    const accounts = await findBookableAccounts(connection, requests);
    // What becomes of a repeated key depends on the request before it.
    const first = new Set(withTotals(requests).map(({ request }) => request));
    const verdicts = requests.map((one) => (first.has(one) ? judgeBooking(one, { accounts, keys }) : undefined));
    const replayed = verdicts.flatMap((verdict) => (verdict?.kind === "replayed" ? verdict.resourceId : []));
    const routines = await findRoutinesAsCreated(connection, replayed);
    return verdicts.map((verdict) => {
      if (verdict?.kind !== "replayed") return verdict;
      return { kind: "replayed", routine: routineIn(routines, verdict.resourceId) };
    });
  });
}

function delayOf({ amountCents }: BookRequest): number | null {
  const { settlementDelayMs } = serviceConfig();
  return settlementDelayOf(providers().settlementOf(amountCents), { delayMs: settlementDelayMs });
}

function routineOf(request: BookRequest, at: Date): RoutineWithTransfer {
  const { routineId: id, transferId, name, amountCents, sourceId, destinationId } = request;
  const times = { createdAt: at, updatedAt: at };
  return { id, name, status: "active", transferId, amountCents, sourceId, destinationId, ...times };
}

/** The routine of this id; throws when it is not there, because it was created. */
export function routineIn(
  routines: ReadonlyMap<string, RoutineWithTransfer>,
  id: string | undefined,
): RoutineWithTransfer {
  const routine = id === undefined ? undefined : routines.get(id);
  if (!routine) throw new Error("A routine that was created must be found.");
  return routine;
}

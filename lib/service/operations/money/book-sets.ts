import { newId } from "../../../kit/ids.ts";
import { runSingleStatement } from "../../../kit/single-statement.ts";
import { serviceConfig } from "../../config.ts";
import {
  type Booking,
  type BookingDecision,
  type BookingRefusal,
  decideBookings,
  findEasyBookings,
} from "../../domain/book-routines.ts";
import type { IdempotencyKey, KeyVerdict } from "../../domain/idempotency.ts";
import { settlementDelayOf } from "../../domain/settlement.ts";
import { providers } from "../../providers.ts";
import { bookInOneStatement } from "../../storage/book-in-one-statement.ts";
import {
  findRoutinesAsCreated,
  insertBookRoutines,
  lockSourceAccounts,
  type NewBookRoutine,
} from "../../storage/book-routines.ts";
import { inTransaction, servicePool } from "../../storage/database.ts";
import type { RoutineWithTransfer } from "../../storage/routines.ts";
import { takeKeys } from "../idempotency.ts";
import { lockTimeoutOf, type SetOptions, type WaysToServe } from "../run-set.ts";
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
  | { kind: BookingRefusal };

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

/** The two ways to book a set of requests. */
export const waysToBook: WaysToServe<BookRequest, BookingOutcome> = {
  inOneStatement: bookEasy,
  carefully: bookCarefully,
};

async function bookEasy(requests: BookRequest[], options: SetOptions) {
  const easy = findEasyBookings(requests).map(({ request, wantedOfSourceCents }) => {
    return { ...request, wantedOfSourceCents, dueInMs: delayOf(request) };
  });
  const created = await runSingleStatement(servicePool(), {
    run: (connection) => bookInOneStatement(connection, easy, { ...options, lockTimeoutMs: lockTimeoutOf(options) }),
    readBack: async (pool) => {
      const ids = easy.map(({ routineId }) => routineId);
      const found = await findRoutinesAsCreated(pool, ids);
      return new Map([...found].map(([id, { createdAt }]) => [id, createdAt]));
    },
  });
  return requests.map((request) => {
    const at = created.get(request.routineId);
    return at && { kind: "created" as const, routine: routineOf(request, at) };
  });
}

function bookCarefully(requests: BookRequest[], options: SetOptions): Promise<BookingOutcome[]> {
  return inTransaction(
    async (_tx, connection) => {
      const keys = await takeKeys(
        connection,
        requests.map(({ idempotency }) => idempotency),
      );
      const accounts = await lockSourceAccounts(connection, requests, options);
      const decisions = decideBookings(requests, { accounts, keys });
      const created = requests
        .filter((_, place) => decisions[place]?.kind === "created")
        .map((request) => newBookRoutine(request, timeAt(accounts, request.sourceId)));
      await insertBookRoutines(connection, created);

      const routines = new Map(created.map(({ routine }) => [routine.id, routine]));
      const replayed = decisions.flatMap((decision) => (decision.kind === "replayed" ? decision.resourceId : []));
      const earlier = replayed.filter((id) => !routines.has(id));
      for (const [id, routine] of await findRoutinesAsCreated(connection, earlier)) routines.set(id, routine);
      return decisions.map((decision, place) => outcomeOf(decision, requests[place]?.routineId, routines));
    },
    { lockTimeoutMs: lockTimeoutOf(options) },
  );
}

function newBookRoutine(request: BookRequest, at: Date): NewBookRoutine {
  const { clientId, userId, traceId, idempotency } = request;
  return { routine: routineOf(request, at), clientId, userId, traceId, dueInMs: delayOf(request), idempotency };
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

function outcomeOf(
  decision: BookingDecision,
  ownId: string | undefined,
  routines: ReadonlyMap<string, RoutineWithTransfer>,
): BookingOutcome {
  if (decision.kind === "created") return { kind: "created", routine: routineIn(routines, ownId) };
  if (decision.kind === "replayed") return { kind: "replayed", routine: routineIn(routines, decision.resourceId) };
  return decision;
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

function timeAt(accounts: ReadonlyMap<string, { at: Date }>, sourceId: string): Date {
  const source = accounts.get(sourceId);
  if (!source) throw new Error("What is booked has a source that was locked.");
  return source.at;
}

import { createBatcher } from "../../../kit/batcher.ts";
import { newId } from "../../../kit/ids.ts";
import { processWide } from "../../../kit/memoize.ts";
import { serviceConfig } from "../../config.ts";
import { type Booking, type BookingDecision, type BookingRefusal, decideBookings } from "../../domain/book-routines.ts";
import type { IdempotencyKey, KeyVerdict } from "../../domain/idempotency.ts";
import { settlementDelayOf } from "../../domain/settlement.ts";
import { providers } from "../../providers.ts";
import {
  findRoutinesAsCreated,
  insertBookRoutines,
  lockSourceAccounts,
  type NewBookRoutine,
} from "../../storage/book-routines.ts";
import { inTransaction, servicePool } from "../../storage/database.ts";
import type { RoutineWithTransfer } from "../../storage/routines.ts";
import { takeKeys, untilSettled } from "../idempotency.ts";
import { passingOverHeldRows, type SetOptions, setLockTimeoutMs } from "../run-set.ts";
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

/** Why a user may not create routines at all, or undefined. */
export function refusalToBook({ user, clientBusinessProfileId }: UserCaller) {
  if (user.userType !== "business" || user.businessProfileId !== clientBusinessProfileId)
    return "business_user_required";
  return user.status === "approved" ? undefined : "user_not_approved";
}

/**
 * Creates a routine with its transfer and holds the money, or nothing at all. Requests that arrive together travel in one
 * transaction, with the outcome of one after another. While another request with the same key, or a transaction that holds
 * the source account, is under way this one waits for it, 2 seconds at most.
 */
export function createBookRoutine(order: BookRoutineOrder, { clientId, user }: UserCaller): Promise<BookingOutcome> {
  const request: Request = {
    ...order,
    routineId: newId(),
    transferId: newId(),
    clientId,
    userId: user.id,
    sourceId: order.sourceId.toLowerCase(),
    destinationId: order.destinationId.toLowerCase(),
  };
  return untilSettled(() => book()(request));
}

/** The routine that a replayed key stands for, as it was created. */
export async function readRoutineAsCreated(id: string): Promise<RoutineWithTransfer> {
  return routineIn(await findRoutinesAsCreated(servicePool(), [id]), id);
}

const book = processWide("service.book_routines", () => createBatcher({ run: passingOverHeldRows(bookSet) }));

type Request = BookRoutineOrder & Booking & { transferId: string };

function bookSet(requests: Request[], { passOverHeld }: SetOptions): Promise<BookingOutcome[]> {
  return inTransaction(
    async (_tx, connection) => {
      const keys = await takeKeys(
        connection,
        requests.map(({ idempotency }) => idempotency),
      );
      const accounts = await lockSourceAccounts(connection, requests, { passOverHeld });
      const decisions = decideBookings(requests, { accounts, keys });
      const created = requests
        .filter((_, place) => decisions[place]?.kind === "created")
        .map((request) => newBookRoutine(request, accounts.get(request.sourceId)?.at ?? new Date()));
      await insertBookRoutines(connection, created);

      const routines = new Map(created.map(({ routine }) => [routine.id, routine]));
      const replayed = decisions.flatMap((decision) => (decision.kind === "replayed" ? decision.resourceId : []));
      const earlier = replayed.filter((id) => !routines.has(id));
      for (const [id, routine] of await findRoutinesAsCreated(connection, earlier)) routines.set(id, routine);
      return decisions.map((decision, place) => outcomeOf(decision, requests[place]?.routineId, routines));
    },
    { lockTimeoutMs: setLockTimeoutMs },
  );
}

function newBookRoutine(request: Request, at: Date): NewBookRoutine {
  const { routineId: id, transferId, name, amountCents, sourceId, destinationId } = request;
  const { clientId, userId, traceId, idempotency } = request;
  const { settlementDelayMs } = serviceConfig();
  const delayMs = settlementDelayOf(providers().settlementOf(amountCents), { delayMs: settlementDelayMs });
  const times = { createdAt: at, updatedAt: at };
  return {
    routine: { id, transferId, name, amountCents, sourceId, destinationId, status: "active", ...times },
    clientId,
    userId,
    traceId,
    dueAt: delayMs === null ? null : new Date(at.getTime() + delayMs),
    idempotency,
  };
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

function routineIn(routines: ReadonlyMap<string, RoutineWithTransfer>, id: string | undefined): RoutineWithTransfer {
  const routine = id === undefined ? undefined : routines.get(id);
  if (!routine) throw new Error("A routine that was created must be found.");
  return routine;
}

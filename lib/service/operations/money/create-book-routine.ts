import { createBatcher } from "../../../kit/batcher.ts";
import { processWide } from "../../../kit/memoize.ts";
import { findRoutinesAsCreated } from "../../storage/book-routines.ts";
import { servicePool } from "../../storage/database.ts";
import type { RoutineWithTransfer } from "../../storage/routines.ts";
import { voidKey } from "../idempotency.ts";
import { serveSets } from "../run-set.ts";
import type { UserCaller } from "../tokens/authenticate-access-token.ts";
import { untilSettled } from "../until-settled.ts";
import {
  type BookingOutcome,
  type BookRequest,
  type BookRoutineOrder,
  booking,
  newBookRequest,
  routineIn,
} from "./book-sets.ts";

/** Why a user may not create routines at all, or undefined. */
export function refusalToBook({ user, clientBusinessProfileId }: UserCaller) {
  if (user.userType !== "business" || user.businessProfileId !== clientBusinessProfileId)
    return "business_user_required";
  return user.status === "approved" ? undefined : "user_not_approved";
}

/**
 * Creates a routine with its transfer and holds the money, or nothing at all. Requests that arrive together are served
 * together, with the outcome of one after another. While another request with the same key, or a transaction that holds
 * the source account, is under way this one waits for it, 2 seconds at most.
 */
export function createBookRoutine(order: BookRoutineOrder, caller: UserCaller): Promise<BookingOutcome> {
  const request = newBookRequest(order, caller);
  return untilSettled(() => book()(request));
}

/**
 * Makes sure that no routine is ever created under this key of the user's, or returns the one that was. While a booking under
 * it is under way this waits for it, 2 seconds at most.
 */
export async function voidBookRoutine(key: string, { clientId, user }: UserCaller) {
  const voided = await voidKey({ clientId, userScope: user.id, operation: "createBookRoutine", key });
  if (voided.kind !== "replayed") return voided;
  return { kind: voided.kind, routine: await readRoutineAsCreated(voided.resourceId) };
}

/** The routine that a replayed key stands for, as it was created. */
export async function readRoutineAsCreated(id: string): Promise<RoutineWithTransfer> {
  return routineIn(await findRoutinesAsCreated(servicePool(), [id]), id);
}

// One set at a time for a source: two would only wait for each other's lock, and the later one could overtake.
const book = processWide("service.book_routines", () =>
  createBatcher({
    name: "set of bookings",
    run: serveSets(booking),
    nameOf: ({ sourceId }: BookRequest) => sourceId,
  }),
);

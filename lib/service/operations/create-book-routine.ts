import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../contract/limits.ts";
import { createBatcher } from "../../kit/batcher.ts";
import { newId } from "../../kit/ids.ts";
import { processWide } from "../../kit/memoize.ts";
import { serviceConfig } from "../config.ts";
import type { BookingDecision } from "../domain/book-routines.ts";
import { settlementDelayOf } from "../domain/settlement.ts";
import { bookRoutineOperation, insertBookRoutines, type NewBookRoutine } from "../storage/book-routines.ts";
import type { RoutineWithTransfer } from "../storage/routines.ts";
import type { UserCaller } from "./authenticate-access-token.ts";
import { fingerprintOf } from "./idempotency.ts";

/** A book transfer to create; ids in any case. `writeBody` writes the answer, which is kept with the key to the byte. */
export type BookRoutineOrder = {
  name: string;
  amountCents: number;
  sourceId: string;
  destinationId: string;
  idempotencyKey: string | undefined;
  traceId: string;
  writeBody: (routine: RoutineWithTransfer) => string;
};

/** Why a user may not create routines at all, or undefined. Asked before anything of the request is looked at. */
export function refusalToBook({ user, clientBusinessProfileId }: UserCaller) {
  if (user.userType !== "business" || user.businessProfileId !== clientBusinessProfileId)
    return "business_user_required";
  return user.status === "approved" ? undefined : "user_not_approved";
}

/**
 * Creates a routine with its transfer and holds the money, or nothing at all. Requests that arrive together travel in one
 * transaction, with the outcome of one after another. While another request with the same key is under way this one
 * waits for it, 2 seconds at most.
 */
export async function createBookRoutine(
  order: BookRoutineOrder,
  { clientId, user }: UserCaller,
): Promise<BookingDecision> {
  const giveUpAt = performance.now() + limits.idempotencyWaitMs;
  const request = requestOf(order, { clientId, userId: user.id });
  while (true) {
    const decision = await book()(request);
    if (decision.kind !== "idempotency_in_progress" || performance.now() + retryMs > giveUpAt) return decision;
    await delay(retryMs);
  }
}

const retryMs = 20;
const book = processWide("service.book_routines", () => createBatcher({ run: insertBookRoutines }));

function requestOf(
  order: BookRoutineOrder,
  { clientId, userId }: { clientId: string; userId: string },
): NewBookRoutine {
  const { name, amountCents, idempotencyKey: key, traceId, writeBody } = order;
  const sourceId = order.sourceId.toLowerCase();
  const destinationId = order.destinationId.toLowerCase();
  const { mode, settlementDelayMs } = serviceConfig();
  return {
    routineId: newId(),
    transferId: newId(),
    clientId,
    userId,
    name,
    amountCents,
    sourceId,
    destinationId,
    traceId,
    settlementDelayMs: settlementDelayOf(amountCents, { delayMs: settlementDelayMs, isSandbox: mode === "sandbox" }),
    idempotency: key
      ? {
          key,
          // The parts of the stored key's primary key; ids hold no spaces.
          keyScope: `${clientId} ${userId} ${bookRoutineOperation} ${key}`,
          fingerprint: fingerprintOf(bookRoutineOperation, { name, amountCents, sourceId, destinationId }),
        }
      : undefined,
    writeBody,
  };
}

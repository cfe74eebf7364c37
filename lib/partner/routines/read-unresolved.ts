import type { Partner } from "../partner.ts";
import { findRoutine, type RoutineWithSeller } from "../storage/routines.ts";
import { isRoutineId } from "./routine-id.ts";
import { type RoutineView, readEvents } from "./routine-view.ts";
import { tellSellersApart } from "./seller-names.ts";
import { isHeld } from "./send-routine.ts";

/** What is known of a payment that a person has to look into; times are ISO 8601, null when no request left. */
export type UnresolvedPayment = Pick<
  RoutineWithSeller,
  | "id"
  | "name"
  | "amountCents"
  | "sellerName"
  | "sourceId"
  | "destinationId"
  | "idempotencyKey"
  | "failureReason"
  | "serviceRoutineId"
  | "secondServiceRoutineId"
  | "unansweredSends"
  | "state"
> & {
  firstSentAt: string | null;
  lastSentAt: string | null;
  isHeld: boolean;
  isResolved: boolean;
  isFound: boolean;
  events: RoutineView["events"];
};

/** A payment with all that was sent, or undefined when there is none with this id. */
export async function readUnresolved(partner: Partner, id: string): Promise<UnresolvedPayment | undefined> {
  const found = isRoutineId(id) ? await findRoutine(partner.db, id) : undefined;
  const [routine] = found ? await tellSellersApart(partner, [found]) : [];
  if (!routine) return undefined;
  const { name, amountCents, sellerName, sourceId, destinationId, idempotencyKey, failureReason } = routine;
  const { serviceRoutineId, secondServiceRoutineId, secondSeenBy, unansweredSends, state } = routine;
  const isSecondOpen = secondServiceRoutineId !== null && secondSeenBy === null;
  return {
    id,
    name,
    amountCents,
    sellerName,
    sourceId,
    destinationId,
    idempotencyKey,
    failureReason,
    serviceRoutineId,
    secondServiceRoutineId: isSecondOpen ? secondServiceRoutineId : null,
    unansweredSends,
    state,
    isFound: routine.createdBy === null,
    firstSentAt: routine.firstSentRealAt?.toISOString() ?? null,
    lastSentAt: routine.lastSentRealAt?.toISOString() ?? null,
    isHeld: await isHeld(partner, routine),
    isResolved: !["unanswered", "missing", "conflicting"].includes(state) && !isSecondOpen,
    events: await readEvents(partner, id),
  };
}

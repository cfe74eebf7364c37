import { isId } from "../../kit/ids.ts";
import type { Partner } from "../partner.ts";
import { findPersonById } from "../storage/people.ts";
import { findRoutine, listRoutineEvents, type RoutineEvent, type RoutineWithSeller } from "../storage/routines.ts";
import type { RoutineState } from "../storage/schema.ts";
import { listSellersNamed, type NamedSeller } from "../storage/service-users.ts";
import { listReceiptsOf } from "../storage/webhook-receipts.ts";
import { isHeld } from "./send-routine.ts";
import { type Meaning, meaningOf } from "./status-meaning.ts";

/**
 * A routine as its page shows it; times are ISO 8601. `status` and `transferStatus` are the service's own words, null while
 * it told none, and `meanings` is what Harbor takes them for. `isOver`: nothing more is expected, so nobody need ask again.
 * `isHeld`: whether it was made is not known, and Harbor does not send it again to find out.
 */
export type RoutineView = Pick<
  RoutineWithSeller,
  | "id"
  | "name"
  | "amountCents"
  | "sellerName"
  | "sellerUserId"
  | "state"
  | "transferStatus"
  | "failureReason"
  | "balances"
  | "serviceRoutineId"
  | "transferId"
> & {
  status: string | null;
  /** The id of another record of this very payment that nobody has dealt with. */
  secondServiceRoutineId: string | null;
  meanings: Record<"routine" | "transfer", Meaning>;
  createdAt: string;
  /** What the service announced about it, oldest first. `outcome`: what Harbor made of it, null while it is at it. */
  webhooks: { id: string; type: string; outcome: string | null; duplicates: number; receivedAt: string }[];
  events: (Pick<RoutineEvent, "resource" | "status"> & { meaning: Meaning; occurredAt: string })[];
  isOver: boolean;
  isHeld: boolean;
  /** An operator said what became of it. */
  isResolvedByPerson: boolean;
  /** Who confirmed which of two different ends is right, and when; still there when another report put it in doubt again. */
  confirmation: { by: string; at: string } | null;
  /** Harbor found it at the service and has no record of sending it. */
  isFound: boolean;
};

/** What Harbor's own database knows of a routine, or undefined when there is none with this id. */
export async function readRoutineView(partner: Partner, id: string): Promise<RoutineView | undefined> {
  if (!isId(id)) return undefined;
  const found = await findRoutine(partner.db, id);
  const [routine] = found ? await disambiguateSellers(partner, [found]) : [];
  if (!routine) return undefined;
  const ids = [routine.serviceRoutineId, routine.transferId].filter((known) => known !== null);
  const [events, receipts] = await Promise.all([readEvents(partner, id), listReceiptsOf(partner.db, ids)]);
  const { name, amountCents, sellerName, state, status, transferStatus, failureReason } = routine;
  const { serviceRoutineId, transferId, createdAt, resolvedBy, nextTryAt } = routine;
  return {
    id,
    name,
    amountCents,
    sellerName,
    sellerUserId: routine.sellerUserId,
    state,
    status: shownStatus(routine),
    transferStatus,
    meanings: { routine: meaningOf(partner, status ?? ""), transfer: meaningOf(partner, transferStatus ?? "") },
    failureReason,
    serviceRoutineId,
    secondServiceRoutineId: routine.secondSeenBy === null ? routine.secondServiceRoutineId : null,
    transferId,
    createdAt: createdAt.toISOString(),
    balances: routine.balances,
    webhooks: receipts.map(({ webhookId, webhookType, outcome, duplicates, receivedRealAt }) => ({
      id: webhookId,
      type: webhookType,
      outcome,
      duplicates,
      receivedAt: receivedRealAt.toISOString(),
    })),
    events,
    isOver: nextTryAt === null,
    isHeld: await isHeld(partner, routine),
    isResolvedByPerson: resolvedBy !== null,
    confirmation: await confirmationOf(partner, routine),
    isFound: routine.createdBy === null,
  };
}

/** What happened to a routine and its transfer, oldest first. */
export async function readEvents(partner: Partner, id: string): Promise<RoutineView["events"]> {
  const events = await listRoutineEvents(partner.db, id);
  return events.map(({ resource, status, occurredAt }) => ({
    resource,
    status,
    meaning: meaningOf(partner, status),
    occurredAt: occurredAt.toISOString(),
  }));
}

async function confirmationOf(
  partner: Partner,
  { endConfirmedAt, resolvedBy }: RoutineWithSeller,
): Promise<RoutineView["confirmation"]> {
  const person = endConfirmedAt && resolvedBy ? await findPersonById(partner.db, resolvedBy) : undefined;
  return endConfirmedAt && person
    ? { by: `${person.firstName} ${person.lastName}`, at: endConfirmedAt.toISOString() }
    : null;
}

const ownStates: ReadonlySet<RoutineState> = new Set(["submitting", "unanswered", "missing", "conflicting", "refused"]);

/** The word that a list shows for a routine: Harbor's own where the service's is unknown, in doubt or overruled, else the service's. */
export function shownStatus({
  state,
  status,
  endConfirmedAt,
}: Pick<RoutineWithSeller, "state" | "status" | "endConfirmedAt">): string | null {
  if (ownStates.has(state)) return state;
  if (endConfirmedAt === null) return status;
  return state === "succeeded" ? "confirmed_arrived" : "confirmed_not_arrived";
}

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
  const found = isId(id) ? await findRoutine(partner.db, id) : undefined;
  const [routine] = found ? await disambiguateSellers(partner, [found]) : [];
  if (!routine) return undefined;
  const { name, amountCents, sellerName, sourceId, destinationId, idempotencyKey, failureReason } = routine;
  const { serviceRoutineId, secondServiceRoutineId, secondSeenBy, unansweredSends, state } = routine;
  const hasOpenSecond = secondServiceRoutineId !== null && secondSeenBy === null;
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
    secondServiceRoutineId: hasOpenSecond ? secondServiceRoutineId : null,
    unansweredSends,
    state,
    isFound: routine.createdBy === null,
    firstSentAt: routine.firstSentRealAt?.toISOString() ?? null,
    lastSentAt: routine.lastSentRealAt?.toISOString() ?? null,
    isHeld: await isHeld(partner, routine),
    isResolved: !["unanswered", "missing", "conflicting"].includes(state) && !hasOpenSecond,
    events: await readEvents(partner, id),
  };
}

/** The name of one of these sellers; of several with the same name, with what tells them apart. */
export function distinctName({ firstName, lastName, email, phone }: NamedSeller, all: NamedSeller[]): string {
  const name = `${firstName} ${lastName}`;
  const namesakes = all.filter((one) => `${one.firstName} ${one.lastName}`.toLowerCase() === name.toLowerCase());
  if (namesakes.length === 1) return name;
  // The digits first: a phone cuts the end of a choice off.
  return `${name} (phone\u00a0••${phone.slice(-4)}, ${email.slice(0, 1)}•••${email.slice(email.indexOf("@"))})`;
}

/** These payments, in which sellers of the same name are told apart. */
export async function disambiguateSellers<Row extends { sellerUserId: string; sellerName: string }>(
  partner: Partner,
  rows: Row[],
): Promise<Row[]> {
  const all = await listSellersNamed(partner.db, [...new Set(rows.map(({ sellerName }) => sellerName))]);
  return rows.map((row) => {
    const seller = all.find(({ id }) => id === row.sellerUserId);
    return seller ? { ...row, sellerName: distinctName(seller, all) } : row;
  });
}

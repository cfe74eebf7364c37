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
 * A routine as its page shows it; times are ISO 8601. `status` and `transferStatus` are the service's own words, `meanings`
 * what they mean. `isHeld`: it is unanswered and Harbor doesn't resend it.
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
  /** The id of a second record of this payment, until an operator acknowledges it. */
  secondServiceRoutineId: string | null;
  meanings: Record<"routine" | "transfer", Meaning>;
  createdAt: string;
  /** Oldest first. `outcome`: null while it is being applied. */
  webhooks: { id: string; type: string; outcome: string | null; duplicates: number; receivedAt: string }[];
  events: (Pick<RoutineEvent, "resource" | "status"> & { meaning: Meaning; occurredAt: string })[];
  isOver: boolean;
  isHeld: boolean;
  isResolvedByPerson: boolean;
  /** Who confirmed one of two reported ends, kept even if another report came later. */
  confirmation: { by: string; at: string } | null;
  isFound: boolean;
};

export async function readRoutineView(partner: Partner, id: string): Promise<RoutineView | undefined> {
  const routine = await findNamed(partner, id);
  if (!routine) return undefined;
  const ids = [routine.serviceRoutineId, routine.transferId].filter((known) => known !== null);
  const [events, receipts] = await Promise.all([readEvents(partner, id), listReceiptsOf(partner.db, ids)]);
  const { name, amountCents, sellerName, sellerUserId, state, status, transferStatus, failureReason } = routine;
  const { serviceRoutineId, transferId, balances } = routine;
  return {
    ...{ id, name, amountCents, sellerName, sellerUserId, state, transferStatus, failureReason },
    ...{ serviceRoutineId, transferId, balances, events },
    status: shownStatus(routine),
    meanings: { routine: meaningOf(partner, status ?? ""), transfer: meaningOf(partner, transferStatus ?? "") },
    secondServiceRoutineId: openSecondId(routine),
    createdAt: routine.createdAt.toISOString(),
    webhooks: receipts.map(({ webhookId, webhookType, outcome, duplicates, receivedRealAt }) => ({
      id: webhookId,
      type: webhookType,
      outcome,
      duplicates,
      receivedAt: receivedRealAt.toISOString(),
    })),
    isOver: routine.nextTryAt === null,
    isHeld: await isHeld(partner, routine),
    isResolvedByPerson: routine.resolvedBy !== null,
    confirmation: await confirmationOf(partner, routine),
    isFound: routine.createdBy === null,
  };
}

/** A payment for the page where an operator resolves it; times are ISO 8601, null if nothing was sent. */
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

export async function readUnresolved(partner: Partner, id: string): Promise<UnresolvedPayment | undefined> {
  const routine = await findNamed(partner, id);
  if (!routine) return undefined;
  const { name, amountCents, sellerName, sourceId, destinationId, idempotencyKey, failureReason } = routine;
  const { serviceRoutineId, unansweredSends, state } = routine;
  const secondServiceRoutineId = openSecondId(routine);
  return {
    ...{ id, name, amountCents, sellerName, sourceId, destinationId, idempotencyKey, failureReason },
    ...{ serviceRoutineId, secondServiceRoutineId, unansweredSends, state },
    isFound: routine.createdBy === null,
    firstSentAt: routine.firstSentRealAt?.toISOString() ?? null,
    lastSentAt: routine.lastSentRealAt?.toISOString() ?? null,
    isHeld: await isHeld(partner, routine),
    isResolved: !["unanswered", "missing", "conflicting"].includes(state) && secondServiceRoutineId === null,
    events: await readEvents(partner, id),
  };
}

async function findNamed(partner: Partner, id: string): Promise<RoutineWithSeller | undefined> {
  const found = isId(id) ? await findRoutine(partner.db, id) : undefined;
  const [routine] = found ? await disambiguateSellers(partner, [found]) : [];
  return routine;
}

function openSecondId({ secondSeenBy, secondServiceRoutineId }: RoutineWithSeller): string | null {
  return secondSeenBy === null ? secondServiceRoutineId : null;
}

async function readEvents(partner: Partner, id: string): Promise<RoutineView["events"]> {
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

/** The status that a list shows: Harbor's own where the service's is unknown, in doubt or overruled. */
export function shownStatus({
  state,
  status,
  endConfirmedAt,
}: Pick<RoutineWithSeller, "state" | "status" | "endConfirmedAt">): string | null {
  if (ownStates.has(state)) return state;
  if (endConfirmedAt === null) return status;
  return state === "succeeded" ? "confirmed_arrived" : "confirmed_not_arrived";
}

/** A seller's name; one of several with the same name also gets phone and email. */
export function distinctName({ firstName, lastName, email, phone }: NamedSeller, all: NamedSeller[]): string {
  const name = `${firstName} ${lastName}`;
  const namesakes = all.filter((one) => `${one.firstName} ${one.lastName}`.toLowerCase() === name.toLowerCase());
  if (namesakes.length === 1) return name;
  // Digits first: phones cut long choices off.
  return `${name} (phone\u00a0••${phone.slice(-4)}, ${email.slice(0, 1)}•••${email.slice(email.indexOf("@"))})`;
}

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

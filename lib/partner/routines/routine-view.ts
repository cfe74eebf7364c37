import { words } from "#words";
import { isId } from "../../kit/ids.ts";
import type { Partner } from "../partner.ts";
import { type Meaning, meaningOf } from "../statuses.ts";
import { findPersonById } from "../storage/people.ts";
import { readComparison } from "../storage/routine-comparison.ts";
import {
  countNeedingOperator,
  findRoutine,
  listRoutineEvents,
  listRoutines,
  type RoutineEvent,
  type RoutineWithSeller,
} from "../storage/routines.ts";
import type { RoutineState } from "../storage/schema.ts";
import { listSellersNamed, type NamedSeller } from "../storage/service-users.ts";
import { listReceiptsOf } from "../storage/webhook-receipts.ts";
import { isHeld, isReplayTrusted } from "./send-routine.ts";

/**
 * A routine as its pages show it; times are ISO 8601. `status` and `transferStatus` are the service's own words;
 * `meanings` says what they mean. `isHeld`: unanswered, and Harbor won't resend it.
 */
export type RoutineView = Pick<
  RoutineWithSeller,
  | "id"
  | "name"
  | "amountCents"
  | "sellerName"
  | "sellerUserId"
  | "sourceId"
  | "destinationId"
  | "idempotencyKey"
  | "state"
  | "status"
  | "transferStatus"
  | "failureReason"
  | "unansweredSends"
  | "balances"
  | "serviceRoutineId"
  | "transferId"
> & {
  /** The id of this payment's second record, until an operator acknowledges it. */
  secondServiceRoutineId: string | null;
  meanings: Record<"routine" | "transfer", Meaning>;
  createdAt: string;
  /** Null if nothing was sent. */
  firstSentAt: string | null;
  lastSentAt: string | null;
  /** Oldest first. `outcome`: null until it is applied. */
  webhooks: { id: string; type: string; outcome: string | null; duplicates: number; receivedAt: string }[];
  events: (Pick<RoutineEvent, "resource" | "status"> & { meaning: Meaning; occurredAt: string })[];
  isOver: boolean;
  isHeld: boolean;
  /** Nothing left for an operator to decide. */
  isResolved: boolean;
  isResolvedByPerson: boolean;
  /** Who confirmed one of two reported ends; kept even if another report came later. */
  confirmation: { by: string; at: string } | null;
  isFound: boolean;
  /** Ids of records at the service that may belong to this unanswered payment. */
  possibleRecordIds: string[];
};

export async function readRoutineView(partner: Partner, id: string): Promise<RoutineView | undefined> {
  const found = isId(id) ? await findRoutine(partner.db, id) : undefined;
  const [routine] = found ? await disambiguateSellers(partner, [found]) : [];
  if (!routine) return undefined;
  const ids = [routine.serviceRoutineId, routine.transferId].filter((known) => known !== null);
  const [events, receipts] = await Promise.all([listRoutineEvents(partner.db, id), listReceiptsOf(partner.db, ids)]);
  const { name, amountCents, sellerName, sellerUserId, sourceId, destinationId, idempotencyKey, balances } = routine;
  const { state, status, transferStatus, failureReason, unansweredSends, serviceRoutineId, transferId } = routine;
  const secondServiceRoutineId = openSecondId(routine);
  return {
    ...{ id, name, amountCents, sellerName, sellerUserId, sourceId, destinationId, idempotencyKey, balances },
    ...{ state, transferStatus, failureReason, unansweredSends, serviceRoutineId, transferId, secondServiceRoutineId },
    status: shownStatus(routine),
    meanings: { routine: meaningOf(partner, status ?? ""), transfer: meaningOf(partner, transferStatus ?? "") },
    createdAt: routine.createdAt.toISOString(),
    firstSentAt: routine.firstSentRealAt?.toISOString() ?? null,
    lastSentAt: routine.lastSentRealAt?.toISOString() ?? null,
    webhooks: receipts.map(({ webhookId, webhookType, outcome, duplicates, receivedRealAt }) => ({
      id: webhookId,
      type: webhookType,
      outcome,
      duplicates,
      receivedAt: receivedRealAt.toISOString(),
    })),
    events: events.map(({ occurredAt, ...event }) => ({
      ...event,
      meaning: meaningOf(partner, event.status),
      occurredAt: occurredAt.toISOString(),
    })),
    isOver: routine.nextTryAt === null,
    isHeld: await isHeld(partner, routine),
    isResolved: !["unanswered", "missing", "conflicting"].includes(state) && secondServiceRoutineId === null,
    isResolvedByPerson: routine.resolvedBy !== null,
    confirmation: await confirmationOf(partner, routine),
    isFound: routine.createdBy === null,
    possibleRecordIds: state === "unanswered" ? await listPossibleRecords(partner, id) : [],
  };
}

async function listPossibleRecords(partner: Partner, id: string): Promise<string[]> {
  const { possibleRecords } = await readComparison(partner.db);
  const ids = possibleRecords.filter(({ mayBeOf }) => mayBeOf.includes(id)).map((record) => record.id);
  return [...new Set(ids)];
}

type SecondRecord = Pick<RoutineWithSeller, "secondServiceRoutineId" | "secondSeenBy">;

/** The id of a second record, until an operator acknowledges it. */
function openSecondId({ secondServiceRoutineId, secondSeenBy }: SecondRecord): string | null {
  return secondSeenBy === null ? secondServiceRoutineId : null;
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

/** The status in a list: like a page's, but a payment that may have been paid twice says so. */
export function listedStatus(routine: Parameters<typeof shownStatus>[0] & SecondRecord): string | null {
  return openSecondId(routine) === null ? shownStatus(routine) : "paid_twice";
}

/** The status that a page shows: Harbor's own if the service's is unknown, in doubt or overruled. */
function shownStatus({
  state,
  status,
  endConfirmedAt,
}: Pick<RoutineWithSeller, "state" | "status" | "endConfirmedAt">): string | null {
  if (ownStates.has(state)) return state;
  if (endConfirmedAt === null) return status;
  return state === "succeeded" ? "confirmed_arrived" : "confirmed_not_arrived";
}

/** Each seller's name by id, with phone and email if another seller has the same name. */
function distinctNames(sellers: NamedSeller[]): Map<string, string> {
  const t = words("paid");
  const named = sellers.map((seller) => ({ ...seller, name: `${seller.firstName} ${seller.lastName}` }));
  const counts = new Map<string, number>();
  for (const { name } of named) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  return new Map(
    named.map(({ id, name, email, phone }) => {
      const isOnly = counts.get(name.toLowerCase()) === 1;
      return [id, isOnly ? name : t("namesake", { name, ending: phone.slice(-4), email: maskedEmail(email) })];
    }),
  );
}

/** The sellers as choices, each named with the masked email address. */
export function sellerChoices(sellers: NamedSeller[]): { userId: string; name: string }[] {
  const names = distinctNames(sellers);
  return sellers.map(({ id, firstName, lastName, email }) => {
    const plain = `${firstName} ${lastName}`;
    const name = names.get(id) ?? plain;
    return { userId: id, name: name === plain ? `${plain} (${maskedEmail(email)})` : name };
  });
}

export function maskedEmail(email: string): string {
  return email === "" ? "" : `${email.slice(0, 1)}•••${email.slice(email.indexOf("@"))}`;
}

export async function disambiguateSellers<Row extends { sellerUserId: string; sellerName: string }>(
  partner: Partner,
  rows: Row[],
): Promise<Row[]> {
  const all = await listSellersNamed(partner.db, [...new Set(rows.map(({ sellerName }) => sellerName))]);
  const names = distinctNames(all);
  return rows.map((row) => ({ ...row, sellerName: names.get(row.sellerUserId) ?? row.sellerName }));
}

/** The states of each filter. `attention` goes by more than the state. */
export const routineFilters = {
  all: undefined,
  active: ["submitting", "unanswered", "open"],
  attention: undefined,
  completed: ["succeeded"],
  failed: ["failed", "cancelled", "refused"],
} as const satisfies Record<string, readonly RoutineState[] | undefined>;
export type RoutineFilterName = keyof typeof routineFilters;

/** Filter, search and position from the list's URL; unknown values are ignored. */
export type RoutineListQuery = { filter: RoutineFilterName; search: string; before: string | undefined };

const pageSize = 20;
const searchCharactersMax = 100;

/** A routine in a list; `status` as in `RoutineView`, or `paid_twice`; `createdAt` in ISO 8601. */
export type RoutineListItem = Pick<
  RoutineWithSeller,
  "id" | "name" | "sellerName" | "amountCents" | "state" | "status"
> & {
  createdAt: string;
};

/**
 * One page, newest first; `next` continues before that id. `isPartial`: the service has no complete list, so payments
 * might be missing here.
 */
export type RoutineListPage = {
  routines: RoutineListItem[];
  next?: string | undefined;
  isPartial: boolean;
  attention: number;
};

export async function readRoutineList(
  partner: Partner,
  { filter, search, before }: RoutineListQuery,
): Promise<RoutineListPage> {
  const states = routineFilters[filter];
  const { isPartial } = await readComparison(partner.db);
  const attention = { isReplayTrusted: await isReplayTrusted(partner) };
  const routines = await listRoutines(partner.db, {
    ...(states && { states }),
    ...(filter === "attention" && { attention }),
    ...(search && { search }),
    ...(before && { before }),
    // One more than shown, to know whether there is a next page.
    limit: pageSize + 1,
  });
  const page = (await disambiguateSellers(partner, routines.slice(0, pageSize))).map(itemOf);
  return {
    routines: page,
    next: routines.length > pageSize ? page.at(-1)?.id : undefined,
    isPartial,
    attention: await countNeedingOperator(partner.db, attention),
  };
}

export async function readNewestRoutines(partner: Partner, limit: number): Promise<RoutineListItem[]> {
  return (await disambiguateSellers(partner, await listRoutines(partner.db, { limit }))).map(itemOf);
}

/** Whether there's something to filter, or a filter to change. */
export async function isFilterable(partner: Partner, { filter, search }: RoutineListQuery): Promise<boolean> {
  if (filter !== "all" || search !== "") return true;
  return (await listRoutines(partner.db, { limit: 2 })).length > 1;
}

function itemOf(routine: RoutineWithSeller): RoutineListItem {
  const { id, name, sellerName, amountCents, state, createdAt } = routine;
  const status = listedStatus(routine);
  return { id, name, sellerName, amountCents, state, status, createdAt: createdAt.toISOString() };
}

/** Reads filter, search and position from the list's URL. */
export function parseRoutineListQuery(query: Record<string, string | string[] | undefined>): RoutineListQuery {
  const { status, search, before } = query;
  return {
    filter: typeof status === "string" && Object.hasOwn(routineFilters, status) ? (status as RoutineFilterName) : "all",
    search:
      typeof search === "string"
        ? search
            .replaceAll(/\p{Cc}/gu, "")
            .trim()
            .slice(0, searchCharactersMax)
        : "",
    before: typeof before === "string" && isId(before) ? before : undefined,
  };
}

import * as z from "zod/mini";
import type { Answer } from "./answer.ts";
import { asUser, type CallOptions, type CallService, pathSegment } from "./call-service.ts";
import {
  identifier,
  isRecord,
  listOf,
  type Money,
  money,
  optional,
  plainText,
  type Read,
  recordOf,
  time,
} from "./reading.ts";

/** A user's payment instrument. Only its id is published: every other field may be unknown. Decision D12 */
export type Account = {
  id: string;
  name?: string | undefined;
  type?: string | undefined;
  /** The last characters of its number. */
  mask?: string | undefined;
  currency?: string | undefined;
  current_balance: Money;
  available_balance: Money;
  status?: string | undefined;
};

/** A user's payment instruments. `isWhole`: no item was dropped as unreadable. */
export type AccountList = { items: Account[]; isWhole: boolean };

const readAccountRecord: Read<Account> = recordOf(
  {
    id: identifier,
    name: optional(plainText),
    type: optional(plainText),
    mask: optional(plainText),
    currency: optional(plainText),
    current_balance: money,
    available_balance: money,
    status: optional(plainText),
  },
  { id: ["account_id", "payment_instrument_id", "instrument_id"] },
);
const readAccounts = listOf("accounts", (body) => {
  const reading = readAccountRecord(body);
  return reading.kind === "ok" ? { ...reading, body: inDollars(reading.body) } : reading;
});

// An amount in another currency becomes unknown, so it never counts as dollars.
function inDollars(account: Account): Account {
  const { currency = "USD", current_balance, available_balance } = account;
  if (currency.toUpperCase() === "USD") return account;
  const unknown = (amount: Money): Money => ({ kind: "unknown", written: `${formatAmount(amount)} ${currency}` });
  return { ...account, current_balance: unknown(current_balance), available_balance: unknown(available_balance) };
}

function formatAmount(amount: Money): string {
  return amount.kind === "exact" ? String(amount.cents / 100) : (amount.written ?? "");
}

/** Calls for accounts, whose path is not published. */
export function accountCalls(call: CallService, path = "/v1/accounts") {
  return {
    /** The user's payment instruments with their balances. */
    listAccounts: (accessToken: string, options: CallOptions = {}): Promise<Answer<AccountList>> =>
      call({ method: "GET", path, authorization: asUser(accessToken), read: readAccounts, ...options }),
  };
}

/** A routine. Only its id is certain: other fields are not published, and `status` is the service's own word. Decision D13 */
export type Routine = {
  id: string;
  transfer_id?: string | undefined;
  name?: string | undefined;
  amount: Money;
  source_id?: string | undefined;
  destination_id?: string | undefined;
  status?: string | undefined;
  /** ISO 8601, like `updated_at`. */
  created_at?: string | undefined;
  updated_at?: string | undefined;
};

/** A new routine; the published answer has both ids. */
export type CreatedRoutine = Routine & { transfer_id: string };

const routineFields = {
  id: identifier,
  transfer_id: optional(identifier),
  name: optional(plainText),
  amount: money,
  source_id: optional(identifier),
  destination_id: optional(identifier),
  status: optional(plainText),
  created_at: optional(time),
  updated_at: optional(time),
};
const routinePaths = {
  id: ["routine_id", "routine.id", "data.id"],
  transfer_id: ["transfer.id", "routine.transfer_id", "data.transfer_id"],
  status: ["state"],
};
const readRoutineRecord: Read<Routine> = recordOf(routineFields, routinePaths);
const readCreated: Read<CreatedRoutine> = recordOf({ ...routineFields, transfer_id: identifier }, routinePaths);
const readRoutines = pageOf("routines", readRoutineRecord);

/** Either the key is voided and can't create a payment anymore, or `routine` is the one that it created. */
export type VoidedBooking = { voided: true } | { voided: false; routine: Routine };

const readVoided: Read<VoidedBooking> = (body) => {
  const answer = z.object({ voided: z.boolean(), routine: z.optional(z.unknown()) }).safeParse(body);
  if (answer.data?.voided) return { kind: "ok", body: { voided: true }, notes: [] };
  const routine = readRoutineRecord(answer.data?.routine);
  if (!answer.success || routine.kind !== "ok") {
    return { kind: "unreadable", ids: {}, problems: [{ field: "voided", message: "was not understood" }] };
  }
  return { ...routine, body: { voided: false, routine: routine.body } };
};

/**
 * One page, newest first. `isWhole`: no item was dropped as unreadable. `next`: the id to continue after, if there is more.
 * `isLast`: there isn't. A full page without a `next` might not be the last one, nor one that was read only in part.
 */
export type Page<Item> = { items: Item[]; isWhole: boolean; isLast: boolean; next?: string | undefined };

/** Which page of a list: `startingAfter` is the previous page's `next`. */
export type PageOptions = CallOptions & { limit: number; startingAfter?: string | undefined };

function pageOf<Item>(name: string, readItem: Read<Item>): (limit: number) => Read<Page<Item>> {
  const [readItems, readCursor] = [listOf(name, readItem), recordOf({ next: optional(identifier) })];
  return (limit) => (body) => {
    const [page, cursor] = [readItems(body), readCursor(body)];
    if (page.kind !== "ok") return page;
    const next = cursor.kind === "ok" ? cursor.body.next : undefined;
    const isMarkedLast = z.object({ next: z.null() }).safeParse(body).success;
    const isShort = page.body.isWhole && page.body.items.length < limit;
    const isLast = next === undefined && !hasMore(body) && (isMarkedLast || isShort);
    return { ...page, body: { ...page.body, isLast, next } };
  };
}

/** Whether the body or an object in it has something like `has_more` or `next_cursor`, which no published page has. */
function hasMore(body: unknown): boolean {
  if (!isRecord(body)) return false;
  return Object.entries(body).some(
    ([key, value]) => (/more|next|cursor/i.test(key) && Boolean(value)) || hasMore(value),
  );
}

function queryOf({ limit, startingAfter }: PageOptions): URLSearchParams {
  return new URLSearchParams({ limit: String(limit), ...(startingAfter && { starting_after: startingAfter }) });
}

/** A payment to make: `amount` in USD, from one payment instrument to another. */
export type NewBookRoutine = { name: string; amount: number; source_id: string; destination_id: string };

/** The service's names for a payment's four fields, which are not published. */
export type BookFields = Record<keyof NewBookRoutine, string>;

// Decision D13
const defaults = {
  path: "/v1/routines/book",
  fields: { name: "name", amount: "amount", source_id: "source_id", destination_id: "destination_id" },
};

/** Calls for routines. @param booking the path and field names for creating a payment */
export function routineCalls(
  call: CallService,
  booking: { path?: string | undefined; fields?: BookFields | undefined } = {},
) {
  const { path = defaults.path, fields: names = defaults.fields } = booking;
  return {
    /**
     * Creates a book transfer routine with the business user's access token; the amount is in USD. After a failure that
     * `decisionOf` calls `unknown`, resend the same request with the same key (a UUID), but only to a service that honors
     * idempotency keys, and within the 72 hours that it keeps them. Other failures created nothing. An `unreadable` answer did
     * create something: never resend it.
     */
    createBookRoutine: (
      accessToken: string,
      request: NewBookRoutine,
      { idempotencyKey, traceId }: CallOptions & { idempotencyKey: string },
    ): Promise<Answer<CreatedRoutine>> =>
      call({
        method: "POST",
        path,
        authorization: asUser(accessToken),
        body: {
          [names.name]: request.name,
          [names.amount]: request.amount,
          [names.source_id]: request.source_id,
          [names.destination_id]: request.destination_id,
        },
        read: readCreated,
        idempotencyKey,
        traceId,
      }),

    /**
     * Voids the key of a booking whose answer was lost, or returns the routine that it created. Not published: other services
     * answer 404. A void proves nothing about a booking sent more than 72 hours ago, whose key may be deleted. Decision D13
     */
    voidBookRoutine: (
      accessToken: string,
      { idempotencyKey, traceId }: CallOptions & { idempotencyKey: string },
    ): Promise<Answer<VoidedBooking>> =>
      call({
        method: "POST",
        path: `${path}/void`,
        authorization: asUser(accessToken),
        read: readVoided,
        idempotencyKey,
        traceId,
      }),

    readRoutine: (accessToken: string, id: string, options: CallOptions = {}): Promise<Answer<Routine>> =>
      call({
        method: "GET",
        path: `/v1/routines/${pathSegment(id)}`,
        authorization: asUser(accessToken),
        read: readRoutineRecord,
        id,
        ...options,
      }),

    /** One page of the user's routines. Decision D13 */
    listRoutines: (accessToken: string, { traceId, ...page }: PageOptions): Promise<Answer<Page<Routine>>> =>
      call({
        method: "GET",
        path: `/v1/routines?${queryOf(page)}`,
        authorization: asUser(accessToken),
        read: readRoutines(page.limit),
        traceId,
      }),
  };
}

/** A transfer. Only its id is certain: other fields are not published, and `status` is the service's own word. Decision D13 */
export type Transfer = {
  id: string;
  routine_id?: string | undefined;
  routine_name?: string | undefined;
  amount: Money;
  source_id?: string | undefined;
  destination_id?: string | undefined;
  status?: string | undefined;
  failure_reason?: string | undefined;
  /** ISO 8601, like `updated_at`. */
  created_at?: string | undefined;
  updated_at?: string | undefined;
};

const readTransferRecord: Read<Transfer> = recordOf(
  {
    id: identifier,
    routine_id: optional(identifier),
    routine_name: optional(plainText),
    amount: money,
    source_id: optional(identifier),
    destination_id: optional(identifier),
    status: optional(plainText),
    failure_reason: optional(plainText),
    created_at: optional(time),
    updated_at: optional(time),
  },
  { id: ["transfer_id"], status: ["state"] },
);
const readTransfers = pageOf("transfers", readTransferRecord);

export function transferCalls(call: CallService) {
  return {
    /** The transfer's current state; `failure_reason` says why one failed. */
    readTransfer: (accessToken: string, id: string, options: CallOptions = {}): Promise<Answer<Transfer>> =>
      call({
        method: "GET",
        path: `/v1/transfers/${pathSegment(id)}`,
        authorization: asUser(accessToken),
        read: readTransferRecord,
        id,
        ...options,
      }),

    /** One page of the transfers that the user sent or received. Decision D13 */
    listTransfers: (accessToken: string, { traceId, ...page }: PageOptions): Promise<Answer<Page<Transfer>>> =>
      call({
        method: "GET",
        path: `/v1/transfers?${queryOf(page)}`,
        authorization: asUser(accessToken),
        read: readTransfers(page.limit),
        traceId,
      }),
  };
}

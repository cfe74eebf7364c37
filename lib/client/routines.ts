import * as z from "zod/mini";
import type { Answer } from "./answer.ts";
import { asUser, type CallOptions, type CallService } from "./call-service.ts";
import type { Money } from "./money.ts";
import { identifier, listOf, money, optional, plainText, type Read, recordOf, time } from "./reading.ts";

/** A routine. Only its id is certain: its other fields are not published, and the words of `status` are the service's own. Decision D13 */
export type Routine = {
  id: string;
  transfer_id?: string | undefined;
  name?: string | undefined;
  amount: Money;
  source_id?: string | undefined;
  destination_id?: string | undefined;
  status?: string | undefined;
  /** ISO 8601, as `updated_at`. */
  created_at?: string | undefined;
  updated_at?: string | undefined;
};

/** A routine that was just created: its answer brings both ids, as published. */
export type CreatedRoutine = Routine & { transfer_id: string };

const fields = {
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
const places = {
  id: ["routine_id", "routine.id", "data.id"],
  transfer_id: ["transfer.id", "routine.transfer_id", "data.transfer_id"],
  status: ["state"],
};
const readRecord: Read<Routine> = recordOf(fields, places);
const readCreated: Read<CreatedRoutine> = recordOf({ ...fields, transfer_id: identifier }, places);
const readItems = listOf("routines", readRecord);

/** What became of a key: voided, so that nothing is created under it any more, or the routine that it stands for. */
export type VoidedBooking = { voided: true } | { voided: false; routine: Routine };

const readVoided: Read<VoidedBooking> = (body) => {
  const answer = z.object({ voided: z.boolean(), routine: z.optional(z.unknown()) }).safeParse(body);
  if (answer.data?.voided) return { kind: "ok", body: { voided: true }, notes: [] };
  const routine = readRecord(answer.data?.routine);
  if (!answer.success || routine.kind !== "ok") {
    return { kind: "unreadable", ids: {}, problems: [{ field: "voided", message: "Not read." }] };
  }
  return { ...routine, body: { voided: false, routine: routine.body } };
};

/** One page of routines. `isWhole`: none was left out as unreadable. `next`: the id to continue after, undefined on the last page. */
export type RoutinePage = { items: Routine[]; isWhole: boolean; next?: string | undefined };

const readPlace = recordOf({ next: optional(identifier) });
const readPage: Read<RoutinePage> = (body) => {
  const [page, place] = [readItems(body), readPlace(body)];
  return page.kind === "ok" && place.kind === "ok" ? { ...page, body: { ...page.body, ...place.body } } : page;
};

/** A payment to make: `amount` in USD, from one payment instrument to another. */
export type NewBookRoutine = { name: string; amount: number; source_id: string; destination_id: string };

/** What the service calls the four fields of a payment: their names are not published. */
export type BookFields = Record<keyof NewBookRoutine, string>;

// Decision D13
const ourPlace = {
  path: "/v1/routines/book",
  fields: { name: "name", amount: "amount", source_id: "source_id", destination_id: "destination_id" },
};

/** The calls about routines. @param place where a payment is created, and what its fields are called */
export function routineCalls(
  call: CallService,
  place: { path?: string | undefined; fields?: BookFields | undefined } = {},
) {
  const { path = ourPlace.path, fields: names = ourPlace.fields } = place;
  return {
    /**
     * Creates a book transfer routine with the business user's access token; the amount is in USD. A refusal with a 4xx
     * means that nothing was created. After silence, only a service that honours idempotency keys may be sent the same
     * request with the same key (a UUID) again. An answer that is `unreadable` created something: never send it again.
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
     * Voids the key of a booking whose answer was lost, unless it stands for a routine, which is told then. Not published: other
     * services answer 404. Only a key younger than a service keeps keys tells for certain that nothing was created. Decision D13
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

    /** The routine's current state. */
    readRoutine: (accessToken: string, id: string, options: CallOptions = {}): Promise<Answer<Routine>> =>
      call({
        method: "GET",
        path: `/v1/routines/${encodeURIComponent(id)}`,
        authorization: asUser(accessToken),
        read: readRecord,
        id,
        ...options,
      }),

    /** One page of the user's routines, newest first; `startingAfter` is the `next` of the page before. Decision D13 */
    listRoutines: (
      accessToken: string,
      { limit, startingAfter, ...options }: CallOptions & { limit: number; startingAfter?: string | undefined },
    ): Promise<Answer<RoutinePage>> => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(startingAfter && { starting_after: startingAfter }),
      });
      return call({
        method: "GET",
        path: `/v1/routines?${query}`,
        authorization: asUser(accessToken),
        read: readPage,
        ...options,
      });
    },
  };
}

/** A transfer. Only its id is certain: its other fields are not published, and the words of `status` are the service's own. Decision D13 */
export type Transfer = {
  id: string;
  routine_id?: string | undefined;
  routine_name?: string | undefined;
  amount: Money;
  status?: string | undefined;
  failure_reason?: string | undefined;
  /** ISO 8601, as `updated_at`. */
  created_at?: string | undefined;
  updated_at?: string | undefined;
};

const readTransferRecord: Read<Transfer> = recordOf(
  {
    id: identifier,
    routine_id: optional(identifier),
    routine_name: optional(plainText),
    amount: money,
    status: optional(plainText),
    failure_reason: optional(plainText),
    created_at: optional(time),
    updated_at: optional(time),
  },
  { id: ["transfer_id"], status: ["state"] },
);
const readTransferItems = listOf("transfers", readTransferRecord);
const readTransfers: Read<TransferPage> = (body) => {
  const [page, place] = [readTransferItems(body), readPlace(body)];
  return page.kind === "ok" && place.kind === "ok" ? { ...page, body: { ...page.body, ...place.body } } : page;
};

/** One page of transfers. `isWhole`: none was left out as unreadable. `next`: the id to continue after, undefined on the last page. */
export type TransferPage = { items: Transfer[]; isWhole: boolean; next?: string | undefined };

/** The calls about transfers. */
export function transferCalls(call: CallService) {
  return {
    /** The transfer's current state; `failure_reason` says why one failed. */
    readTransfer: (accessToken: string, id: string, options: CallOptions = {}): Promise<Answer<Transfer>> =>
      call({
        method: "GET",
        path: `/v1/transfers/${encodeURIComponent(id)}`,
        authorization: asUser(accessToken),
        read: readTransferRecord,
        id,
        ...options,
      }),

    /** One page of the transfers that the user sent or received, newest first. Decision D13 */
    listTransfers: (
      accessToken: string,
      { limit, startingAfter, ...options }: CallOptions & { limit: number; startingAfter?: string | undefined },
    ): Promise<Answer<TransferPage>> => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(startingAfter && { starting_after: startingAfter }),
      });
      return call({
        method: "GET",
        path: `/v1/transfers?${query}`,
        authorization: asUser(accessToken),
        read: readTransfers,
        ...options,
      });
    },
  };
}

import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import {
  type AccountRecord,
  accountList,
  accountRecord,
  amountFromCents,
  type CreateBookRoutineRequest,
  centsFromAmount,
  createBookRoutineRequest,
  type RoutineRecord,
  routineList,
  routineRecord,
  type TransferRecord,
  transferList,
  transferRecord,
  type VoidedBooking,
  voidedBooking,
} from "../../../contract/money.ts";
import { transferStatuses } from "../../../contract/statuses.ts";
import { uuid } from "../../../contract/text.ts";
import { serviceConfig } from "../../config.ts";
import {
  type BookingOutcome,
  createBookRoutine,
  readRoutineAsCreated,
  refusalToBook,
  voidBookRoutine,
} from "../../operations/money/create-book-routine.ts";
import {
  type Account,
  listAccounts,
  listRoutines,
  listTransfers,
  type RoutineWithTransfer,
  readAccount,
  readRoutine,
  readTransfer,
  type TransferOfRoutine,
} from "../../operations/money/read-money.ts";
import { type Reply, replyCreated } from "../frame/answer-request.ts";
import { defineRoute, type Route } from "../frame/define-route.ts";
import { pageQuery } from "../frame/read-request.ts";
import { type Refusal, refuse, refuseFields, ServiceError } from "../frame/refusal.ts";

const page = pageQuery({ limit: limits.pageSizeDefault, limitMax: limits.pageSizeMax });
const byId = z.object({ id: uuid });

const getAccounts = defineRoute({
  operation: "listAccounts",
  method: "GET",
  path: "/v1/accounts",
  who: "user",
  documentation: {
    summary: "List the user's accounts",
    description: "The payment instruments of the user; an account id is a payment instrument id.",
    answer: { status: 200, body: accountList },
  },
  handle: async ({ caller }) => {
    const accounts = (await listAccounts(caller)).map(presentAccount);
    return { status: 200, body: { count: accounts.length, accounts } };
  },
});

const getAccount = defineRoute({
  operation: "getAccount",
  method: "GET",
  path: "/v1/accounts/:id",
  who: "user",
  params: byId,
  documentation: {
    summary: "Read an account",
    answer: { status: 200, body: accountRecord },
  },
  handle: async ({ caller, params }) => {
    const account = await readAccount(params.id, caller);
    return account ? { status: 200, body: presentAccount(account) } : refuse("not_found");
  },
});

const postBookRoutine = defineRoute({
  operation: "createBookRoutine",
  method: "POST",
  path: "/v1/routines/book",
  who: "user",
  permit: (caller) => {
    const reason = refusalToBook(caller);
    return reason && refuse(reason, { cause: `${caller.user.userType}_user_${caller.user.status}` });
  },
  replay: async (routineId) => presentRoutine(await readRoutineAsCreated(routineId)),
  body: createBookRoutineRequest,
  documentation: {
    summary: "Create a book transfer routine",
    description:
      "Only for the client's business user, who authorizes as a person does: mint a token with its `user_id`, and redirect its browser with that token and `user_id`. If the call fails, nothing was created, and the idempotency key can be used again.",
    answer: { status: 201, body: routineRecord },
    refusals: [
      "business_user_required",
      "user_not_approved",
      "not_found",
      "instrument_not_usable",
      "insufficient_funds",
      "idempotency_key_voided",
    ],
  },
  handle: async ({ caller, body, idempotency, traceId }) => {
    const order = {
      name: body.name,
      amountCents: requireAmountCents(body),
      sourceId: body.source_id,
      destinationId: body.destination_id,
      idempotency,
      traceId,
    };
    return shapeBooking(await createBookRoutine(order, caller));
  },
});

const postBookRoutineVoid = defineRoute({
  operation: "voidBookRoutine",
  method: "POST",
  path: "/v1/routines/book/void",
  who: "user",
  isAboutKey: true,
  documentation: {
    summary: "Void the idempotency key of a booking",
    description: `For a caller who lost a response and must know the outcome. If the key created a routine, returns it as it was created and changes nothing. Otherwise voids the key for at least ${limits.idempotencyKeyHoursMin} hours: requests with it, including those in flight, are refused with \`idempotency_key_voided\`. Proves nothing about a booking sent more than ${limits.idempotencyKeyHoursMin} hours ago, whose key may be deleted: look for its routine instead.`,
    answer: { status: 200, body: voidedBooking },
  },
  handle: async ({ caller, key }) => {
    if (key === undefined) return refuse("invalid_idempotency_key");
    const outcome = await voidBookRoutine(key, caller);
    if (outcome.kind === "idempotency_in_progress") return refuse(outcome.kind);
    const routine = outcome.kind === "replayed" ? presentRoutine(outcome.routine) : null;
    const body: VoidedBooking = { voided: outcome.kind === "voided", routine };
    return { status: 200, body };
  },
});

const getRoutines = defineRoute({
  operation: "listRoutines",
  method: "GET",
  path: "/v1/routines",
  who: "user",
  query: z.strictObject(page),
  documentation: {
    summary: "List routines",
    description: "Newest first; pass `next` as `starting_after` to get the next page.",
    answer: { status: 200, body: routineList },
  },
  handle: async ({ caller, query }) => {
    const { rows, next } = await listRoutines({ limit: query.limit, startingAfter: query.starting_after }, caller);
    return { status: 200, body: { routines: rows.map(presentRoutine), next } };
  },
});

const getRoutine = defineRoute({
  operation: "getRoutine",
  method: "GET",
  path: "/v1/routines/:id",
  who: "user",
  params: byId,
  documentation: {
    summary: "Read a routine",
    answer: { status: 200, body: routineRecord },
  },
  handle: async ({ caller, params }) => {
    const routine = await readRoutine(params.id, caller);
    return routine ? { status: 200, body: presentRoutine(routine) } : refuse("not_found");
  },
});

const getTransfers = defineRoute({
  operation: "listTransfers",
  method: "GET",
  path: "/v1/transfers",
  who: "user",
  query: z.strictObject({ ...page, routine_id: z.optional(uuid), status: z.optional(z.enum(transferStatuses)) }),
  documentation: {
    summary: "List transfers",
    description: "Newest first, paid and received; pass `next` as `starting_after` to get the next page.",
    answer: { status: 200, body: transferList },
  },
  handle: async ({ caller, query }) => {
    const { limit, starting_after: startingAfter, routine_id: routineId, status } = query;
    const { rows, next } = await listTransfers({ limit, startingAfter, routineId, status }, caller);
    return { status: 200, body: { transfers: rows.map(presentTransfer), next } };
  },
});

const getTransfer = defineRoute({
  operation: "getTransfer",
  method: "GET",
  path: "/v1/transfers/:transfer_id",
  who: "user",
  params: z.object({ transfer_id: uuid }),
  documentation: {
    summary: "Read a transfer",
    description: "Readable by the owner of its routine and the owner of its destination.",
    answer: { status: 200, body: transferRecord },
  },
  handle: async ({ caller, params }) => {
    const transfer = await readTransfer(params.transfer_id, caller);
    return transfer ? { status: 200, body: presentTransfer(transfer) } : refuse("not_found");
  },
});

export const moneyRoutes: Route[] = [
  getAccounts,
  getAccount,
  postBookRoutine,
  postBookRoutineVoid,
  getRoutines,
  getRoutine,
  getTransfers,
  getTransfer,
];

// The contract refuses zero; the upper limit is a setting (Decision D13).
function requireAmountCents({ amount }: CreateBookRoutineRequest): number {
  const cents = centsFromAmount(amount);
  const { amountCentsMax } = serviceConfig();
  if (cents !== undefined && cents <= amountCentsMax) return cents;
  throw new ServiceError(
    refuseFields([{ field: "amount", message: `Must be at most ${amountFromCents(amountCentsMax)}.` }]),
  );
}

function shapeBooking(outcome: BookingOutcome): Reply | Refusal {
  switch (outcome.kind) {
    case "created":
    case "replayed":
      return replyCreated(outcome.kind, presentRoutine(outcome.routine));
    case "busy":
      return refuse("unavailable", { cause: "source_account_held" });
    case "source_not_found":
      return refuse("not_found", { detail: "source_id is not an account of the business user." });
    case "destination_not_found":
      return refuse("not_found", { detail: "destination_id is not an account that can receive payments." });
    default:
      return refuse(outcome.kind);
  }
}

/** Held money is not available. Decision D12 */
export function presentAccount({ balanceCents, heldCents, ...account }: Account): AccountRecord {
  const { id, name, type, mask, status } = account;
  return {
    id,
    name,
    type,
    mask,
    currency: "USD",
    current_balance: amountFromCents(balanceCents),
    available_balance: amountFromCents(balanceCents - heldCents),
    status,
  };
}

export function presentRoutine(routine: RoutineWithTransfer): RoutineRecord {
  return {
    id: routine.id,
    type: "one-time",
    name: routine.name,
    amount: amountFromCents(routine.amountCents),
    source_id: routine.sourceId,
    destination_id: routine.destinationId,
    status: routine.status,
    active: routine.status === "active",
    transfer_id: routine.transferId,
    created_at: routine.createdAt.toISOString(),
    updated_at: routine.updatedAt.toISOString(),
  };
}

export function presentTransfer(transfer: TransferOfRoutine): TransferRecord {
  return {
    id: transfer.id,
    routine_id: transfer.routineId,
    routine_name: transfer.routineName,
    amount: amountFromCents(transfer.amountCents),
    source_id: transfer.sourceId,
    destination_id: transfer.destinationId,
    status: transfer.status,
    failure_reason: transfer.failureReason,
    created_at: transfer.createdAt.toISOString(),
    updated_at: transfer.updatedAt.toISOString(),
  };
}

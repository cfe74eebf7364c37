import {
  type CreateBookRoutineRequest,
  type RoutineList,
  type RoutineRecord,
  routineList,
  routineRecord,
} from "../../contract/routines.ts";
import { type Answer, type CallOptions, callService } from "./call-service.ts";
import { asUser } from "./credentials.ts";

/**
 * Creates a book transfer routine with the business user's access token; the amount is in USD. A refusal means that
 * nothing was created. After silence, send the same request with the same idempotency key (a UUID) again.
 */
export function createBookRoutine(
  accessToken: string,
  request: CreateBookRoutineRequest,
  { idempotencyKey, traceId }: CallOptions & { idempotencyKey: string },
): Promise<Answer<RoutineRecord>> {
  return callService({
    method: "POST",
    // Decision D13
    path: "/v1/routines/book",
    authorization: asUser(accessToken),
    body: request,
    schema: routineRecord,
    idempotencyKey,
    traceId,
  });
}

/** The routine's current state. */
export function readRoutine(
  accessToken: string,
  routineId: string,
  options: CallOptions = {},
): Promise<Answer<RoutineRecord>> {
  return callService({
    method: "GET",
    path: `/v1/routines/${encodeURIComponent(routineId)}`,
    authorization: asUser(accessToken),
    schema: routineRecord,
    ...options,
  });
}

/** One page of the user's routines, newest first; `startingAfter` is the `next` of the page before. Decision D13 */
export function listRoutines(
  accessToken: string,
  { limit, startingAfter, ...options }: CallOptions & { limit: number; startingAfter?: string | undefined },
): Promise<Answer<RoutineList>> {
  const query = new URLSearchParams({ limit: String(limit), ...(startingAfter && { starting_after: startingAfter }) });
  return callService({
    method: "GET",
    path: `/v1/routines?${query}`,
    authorization: asUser(accessToken),
    schema: routineList,
    ...options,
  });
}

import { amountFromCents } from "../../contract/money.ts";
import { partnerConfig } from "../config.ts";
import type { Refused } from "../service-client/call-service.ts";
import { createBookRoutine } from "../service-client/routines.ts";
import { inTransaction } from "../storage/database.ts";
import { moveRoutine, type RoutineRow } from "../storage/routines.ts";
import type { ReauthorizationRequired } from "../tokens/refresh-access-token.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

/**
 * What became of one request. `unanswered`: it may or may not have created something. Refused, or without a token: this
 * one created nothing, which says nothing of any request before it.
 */
export type SentRoutine = { kind: "sent" } | { kind: "unanswered" } | Refused | ReauthorizationRequired;

/**
 * Sends a stored routine to the service and keeps the answer. That it leaves must have been noted before. Safe to repeat,
 * also by two at once and after a crash at any point: the service finds the first one again by its key.
 * @param options.isRepeated its webhooks may have come and gone, so it is read once more
 */
export async function sendRoutine(routine: RoutineRow, { isRepeated = false } = {}): Promise<SentRoutine> {
  const { idempotencyKey, traceId, name, amountCents, sourceId, destinationId } = routine;
  const request = {
    name,
    amount: amountFromCents(amountCents),
    source_id: sourceId,
    destination_id: destinationId,
  };
  const answer = await withAccessToken(partnerConfig().businessUserId, (accessToken) =>
    createBookRoutine(accessToken, request, { idempotencyKey, traceId }),
  );
  if (answer.kind === "reauthorization_required") return answer;
  if (answer.kind === "unreachable") return { kind: "unanswered" };
  if (answer.kind === "refused") return isAnswer(answer) ? answer : { kind: "unanswered" };

  const { id, transfer_id, status, created_at } = answer.body;
  const since = new Date(created_at);
  await inTransaction((tx) =>
    moveRoutine(
      tx,
      routine.id,
      {
        serviceRoutineId: id,
        transferId: transfer_id,
        status,
        statusSince: since,
        transferStatus: "pending",
        transferStatusSince: since,
        failureReason: null,
      },
      { readAgain: isRepeated },
    ),
  );
  return { kind: "sent" };
}

// A 5xx may come from something in between that knows less than the service; 409 means that the key is still worked on.
function isAnswer({ status }: Refused): boolean {
  return status < 500 && status !== 409;
}

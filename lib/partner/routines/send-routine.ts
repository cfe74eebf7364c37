import { amountFromCents } from "../../contract/money.ts";
import { partnerConfig } from "../config.ts";
import type { Refused } from "../service-client/call-service.ts";
import { createBookRoutine } from "../service-client/routines.ts";
import { inTransaction } from "../storage/database.ts";
import { moveRoutine, type RoutineRow } from "../storage/routines.ts";
import type { ReauthorizationRequired } from "../tokens/refresh-access-token.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

/** `unanswered`: it may or may not have been created, and only sending it again with its key will tell. */
export type SentRoutine = { kind: "sent" } | { kind: "unanswered" } | Refused | ReauthorizationRequired;

/**
 * Sends a stored routine to the service and keeps the answer. Safe to repeat, also by two at once and after a crash at
 * any point: what is sent and under which key was stored before, so the service finds the first one again.
 */
export async function sendRoutine(routine: RoutineRow): Promise<SentRoutine> {
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
  if (answer.kind === "refused") return isFinal(answer) ? answer : { kind: "unanswered" };

  const { id, transfer_id, status, created_at } = answer.body;
  const since = new Date(created_at);
  await inTransaction((tx) =>
    moveRoutine(tx, routine.id, {
      serviceRoutineId: id,
      transferId: transfer_id,
      status,
      statusSince: since,
      transferStatus: "pending",
      transferStatusSince: since,
      failureReason: null,
    }),
  );
  return { kind: "sent" };
}

// A 5xx may come from something in between that knows less than the service; 409 means that the key is still worked on.
function isFinal({ status }: Refused): boolean {
  return status < 500 && status !== 409 && status !== 429;
}

import { amountFromCents } from "../../contract/money.ts";
import { partnerConfig } from "../config.ts";
import { service } from "../service.ts";
import { isAnswer, type Refused } from "../service-client/answer.ts";
import { database } from "../storage/database.ts";
import { stopSending } from "../storage/routine-sends.ts";
import type { RoutineRow } from "../storage/routines.ts";
import type { ReauthorizationRequired } from "../tokens/refresh-access-token.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";
import { keepRoutine } from "./keep-routine.ts";

/**
 * What became of one request. `unanswered`: it may or may not have created something. Refused, or without a token: this
 * one created nothing, which says nothing of any request before it.
 */
export type SentRoutine = { kind: "sent" } | { kind: "unanswered" } | Refused | ReauthorizationRequired;

/**
 * Sends a stored routine to the service and keeps the answer. That it leaves must have been noted before. A success is
 * never sent again, whatever it looks like: its ids are kept, and without any the routine waits for news of it.
 */
export async function sendRoutine(routine: RoutineRow): Promise<SentRoutine> {
  const { id: routineId, idempotencyKey, traceId, name, amountCents, sourceId, destinationId } = routine;
  const request = {
    name,
    amount: amountFromCents(amountCents),
    source_id: sourceId,
    destination_id: destinationId,
  };
  const answer = await withAccessToken(partnerConfig().businessUserId, (accessToken) =>
    service().createBookRoutine(accessToken, request, { idempotencyKey, traceId }),
  );
  if (answer.kind === "reauthorization_required") return answer;
  if (answer.kind === "unreachable") return { kind: "unanswered" };
  if (answer.kind === "refused") return isAnswer(answer) ? answer : { kind: "unanswered" };

  const transfer = { kind: "unknown" } as const;
  if (answer.kind === "ok") {
    const { id, transfer_id, status, created_at } = answer.body;
    const told = status === undefined ? transfer : { kind: "told" as const, status, since: created_at };
    await keepRoutine(routineId, { serviceRoutineId: id, transferId: transfer_id, routine: told, transfer });
    return { kind: "sent" };
  }
  const { id, transfer_id } = answer.ids;
  if (id === undefined && transfer_id === undefined) {
    await stopSending(database(), routineId, "answer_not_understood");
    return { kind: "unanswered" };
  }
  await keepRoutine(routineId, { serviceRoutineId: id, transferId: transfer_id, routine: transfer, transfer });
  return { kind: "sent" };
}

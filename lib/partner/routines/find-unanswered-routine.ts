import { centsFromAmount } from "../../contract/money.ts";
import type { RoutineRecord } from "../../contract/routines.ts";
import { log } from "../../kit/log.ts";
import { database, inTransaction } from "../storage/database.ts";
import { findRoutineByServiceId, listUnansweredLike, moveRoutine, type RoutineRow } from "../storage/routines.ts";

// The clocks of two machines differ by less, so that a record this much older than our first request is not its result.
const clockSlackMs = 3_600_000;

/** The earliest time that a record of this routine can bear. A sandbox's clock only ever runs ahead of real time. */
export function earliestCreation({ firstSentRealAt, createdAt }: RoutineRow): Date {
  return new Date((firstSentRealAt ?? createdAt).getTime() - clockSlackMs);
}

/** Whether this record of the service is what became of an unanswered routine, as far as their contents can tell. */
export function isRecordOf(routine: RoutineRow, record: RoutineRecord): boolean {
  return (
    record.name === routine.name &&
    centsFromAmount(record.amount) === routine.amountCents &&
    record.source_id === routine.sourceId &&
    record.destination_id === routine.destinationId &&
    new Date(record.created_at) >= earliestCreation(routine)
  );
}

/**
 * Gives a record of the service to the routine that waits for it, and answers with that routine's id. Undefined when none
 * waits for it, or several do: then only their keys can tell which is whose.
 */
export async function giveRecordToRoutine(record: RoutineRecord): Promise<string | undefined> {
  const known = await findRoutineByServiceId(database(), { serviceRoutineId: record.id });
  if (known) return known.id;
  const routine = await findRoutineOf(record);
  if (!routine) return undefined;
  const since = new Date(record.created_at);
  await inTransaction((tx) =>
    moveRoutine(
      tx,
      routine.id,
      {
        serviceRoutineId: record.id,
        transferId: record.transfer_id,
        status: "active",
        statusSince: since,
        transferStatus: "pending",
        transferStatusSince: since,
        failureReason: null,
      },
      { readAgain: true },
    ),
  );
  log().info({ traceId: routine.traceId, routineId: routine.id }, "found an unanswered routine at the service");
  return routine.id;
}

async function findRoutineOf(record: RoutineRecord): Promise<RoutineRow | undefined> {
  const amountCents = centsFromAmount(record.amount);
  if (amountCents === undefined) return undefined;
  const { name, source_id: sourceId, destination_id: destinationId } = record;
  const alike = await listUnansweredLike(database(), { name, amountCents, sourceId, destinationId });
  const open = alike.filter(({ status }) => status !== "refused");
  const [routine, another] = open.length > 0 ? open : alike;
  // One that is just being sent gets its answer by itself.
  if (!routine || another || routine.status === "submitting") return undefined;
  return isRecordOf(routine, record) ? routine : undefined;
}

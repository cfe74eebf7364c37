import { centsOf, type Routine } from "#client";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { insertFoundRoutine } from "../storage/routine-comparison.ts";
import { listUnansweredLike } from "../storage/routine-looks.ts";
import { giveRecordToRoutine, isRecordOf } from "./find-unanswered-routine.ts";
import { keepRoutine } from "./keep-routine.ts";

/** Which payment a record belongs to. `waits`: possibly to one whose answer is not known yet. `unreadable`: it tells no amount. */
export type TakenUp = { kind: "known" | "found"; routineId: string } | { kind: "waits" | "unreadable" };

/**
 * Finds the payment of Harbor's that a record of the service is, and where there is none, keeps it as one that Harbor has no
 * record of sending: a restore to an earlier moment forgets payments.
 */
export async function takeUpRecord(partner: Partner, record: Routine): Promise<TakenUp> {
  const routineId = await giveRecordToRoutine(partner, record);
  if (routineId) return { kind: "known", routineId };
  const amountCents = centsOf(record.amount);
  if (await mayAnswer(partner, record, amountCents)) return { kind: "waits" };
  if (amountCents === undefined || amountCents <= 0) {
    log().warn({ serviceRoutineId: record.id }, "the service has a payment that is unknown here and tells no amount");
    return { kind: "unreadable" };
  }
  const { id, transfer_id, name, source_id, destination_id, status, created_at } = record;
  const foundId = await insertFoundRoutine(partner.db, {
    serviceRoutineId: id,
    transferId: transfer_id,
    name: name || "Unnamed payment",
    amountCents,
    sourceId: source_id ?? "",
    destinationId: destination_id ?? "",
    createdAt: created_at === undefined ? undefined : new Date(created_at),
  });
  if (!foundId) return { kind: "waits" };
  log().warn({ routineId: foundId, serviceRoutineId: id }, "took up a payment that was unknown here");
  if (status !== undefined) {
    const routine = { kind: "told" as const, status, since: created_at };
    await keepRoutine(partner, foundId, { routine, transfer: { kind: "unknown" } });
  }
  return { kind: "found", routineId: foundId };
}

/** Whether a payment whose answer is not known yet may be this record: then only that answer can tell. */
async function mayAnswer(partner: Partner, record: Routine, amountCents: number | undefined): Promise<boolean> {
  const { name, source_id: sourceId, destination_id: destinationId } = record;
  if (amountCents === undefined || !name || !sourceId || !destinationId) return false;
  const alike = await listUnansweredLike(partner.db, { name, amountCents, sourceId, destinationId });
  return alike.some((routine) => routine.state !== "refused" && (!record.created_at || isRecordOf(routine, record)));
}

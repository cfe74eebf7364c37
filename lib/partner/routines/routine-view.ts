import { database } from "../storage/database.ts";
import { findRoutine, listRoutineEvents, type RoutineEvent, type RoutineWithSeller } from "../storage/routines.ts";
import { isRoutineId } from "./routine-id.ts";

/** A routine as its page shows it; times are ISO 8601. `isOver`: nothing more will happen, so nobody need ask again. */
export type RoutineView = Pick<
  RoutineWithSeller,
  | "id"
  | "name"
  | "amountCents"
  | "sellerName"
  | "status"
  | "transferStatus"
  | "failureReason"
  | "serviceRoutineId"
  | "transferId"
> & {
  createdAt: string;
  events: (Pick<RoutineEvent, "resource" | "status"> & { occurredAt: string })[];
  isOver: boolean;
};

/** What Harbor's own database knows of a routine (webhooks keep it in step), or undefined when there is none with this id. */
export async function readRoutineView(id: string): Promise<RoutineView | undefined> {
  if (!isRoutineId(id)) return undefined;
  const routine = await findRoutine(database(), id);
  if (!routine) return undefined;
  const events = await listRoutineEvents(database(), id);
  const { name, amountCents, sellerName, status, transferStatus, failureReason, serviceRoutineId, transferId } =
    routine;
  return {
    id,
    name,
    amountCents,
    sellerName,
    status,
    transferStatus,
    failureReason,
    serviceRoutineId,
    transferId,
    createdAt: routine.createdAt.toISOString(),
    events: events.map(({ resource, status, occurredAt }) => ({
      resource,
      status,
      occurredAt: occurredAt.toISOString(),
    })),
    isOver: !["submitting", "unanswered", "active"].includes(status) && transferStatus !== "pending",
  };
}

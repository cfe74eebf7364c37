import { setTimeout as pass } from "node:timers/promises";
import { database, inTransaction } from "../storage/database.ts";
import { deleteFaults, type Fault, listFaults, takeFault, tidyFaults, upsertFault } from "./storage/faults.ts";

export type { Fault } from "./storage/faults.ts";

/** Sets the fault for a client's next calls of an operation, and returns all pending faults (Decision D16). */
export function setFault(clientId: string, fault: Fault): Promise<Fault[]> {
  return inTransaction(async (tx) => {
    await upsertFault(tx, { clientId, ...fault });
    return listFaults(tx, clientId);
  });
}

export function readFaults(clientId: string): Promise<Fault[]> {
  return listFaults(database(), clientId);
}

export async function clearFaults(clientId: string): Promise<Fault[]> {
  await inTransaction((tx) => deleteFaults(tx, clientId));
  return listFaults(database(), clientId);
}

/** A call's fault. Without `status` and `cut`, it only adds latency. */
export type CallFault = Pick<Fault, "status" | "cut" | "foreignPart">;

/** Counts a call against its operation's fault and waits out the fault's latency; undefined if none is set. */
export async function applyFault(call: { clientId: string; operation: string }): Promise<CallFault | undefined> {
  const fault = await takeFault(database(), call);
  if (!fault) return undefined;
  if (fault.remaining === 0) await inTransaction((tx) => tidyFaults(tx, call.clientId));
  if (fault.latencyMs > 0) await pass(fault.latencyMs);
  return fault;
}

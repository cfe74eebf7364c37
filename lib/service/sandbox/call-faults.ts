import { setTimeout as pass } from "node:timers/promises";
import { database, inTransaction } from "../storage/database.ts";
import { deleteFaults, type Fault, listFaults, takeFault, tidyFaults, upsertFault } from "./storage/faults.ts";

export type { Fault } from "./storage/faults.ts";

/** Makes a client's next calls of an operation go wrong, and returns all that is still to go wrong (Decision D16). */
export function setFault(clientId: string, fault: Fault): Promise<Fault[]> {
  return inTransaction(async (tx) => {
    await upsertFault(tx, { clientId, ...fault });
    return listFaults(tx, clientId);
  });
}

/** What is still to go wrong with a client's calls, by operation. */
export function readFaults(clientId: string): Promise<Fault[]> {
  return listFaults(database(), clientId);
}

/** Removes all faults of a client's calls; returns the faults that are left: none. */
export async function clearFaults(clientId: string): Promise<Fault[]> {
  await inTransaction((tx) => deleteFaults(tx, clientId));
  return listFaults(database(), clientId);
}

/** How a call goes wrong. Neither `status` nor `cut`: it was slow and nothing else. */
export type CallFault = Pick<Fault, "status" | "cut">;

/** Counts a call against the fault set for its operation and waits out the fault's latency; undefined when none is set. */
export async function meetFault(call: { clientId: string; operation: string }): Promise<CallFault | undefined> {
  const fault = await takeFault(database(), call);
  if (!fault) return undefined;
  if (fault.remaining === 0) await inTransaction((tx) => tidyFaults(tx, call.clientId));
  if (fault.latencyMs > 0) await pass(fault.latencyMs);
  return fault;
}

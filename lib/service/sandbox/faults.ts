import { database, inTransaction } from "../storage/database.ts";
import { deleteFaults, type Fault, listFaults, upsertFault } from "./storage/faults.ts";

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

/** Removes all faults of a client's calls; returns the faults that are left, which are none. */
export async function clearFaults(clientId: string): Promise<Fault[]> {
  await inTransaction((tx) => deleteFaults(tx, clientId));
  return listFaults(database(), clientId);
}

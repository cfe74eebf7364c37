import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { FaultCut, FaultStatus } from "../../../contract/sandbox-faults.ts";
import type { Db } from "../../storage/database.ts";
import { clients } from "../../storage/schema.ts";
import { faults } from "./schema.ts";

/** What is to go wrong with the next `remaining` calls of an operation; neither `status` nor `cut`: they are slow and nothing else. */
export type Fault = {
  operation: string;
  status: FaultStatus | null;
  cut: FaultCut | null;
  latencyMs: number;
  remaining: number;
};

/** Sets what goes wrong with a client's next calls of an operation, in the place of what was set for it before. */
export async function upsertFault(tx: Db, { clientId, ...fault }: Fault & { clientId: string }): Promise<void> {
  // The client first, as in tidyFaults: the mark and the rows change together.
  await tx.update(clients).set({ isIntercepted: true }).where(eq(clients.id, clientId));
  await tx
    .insert(faults)
    .values({ clientId, ...fault })
    .onConflictDoUpdate({ target: [faults.clientId, faults.operation], set: fault });
}

/** What is still to go wrong with a client's calls, by operation. */
export function listFaults(db: Db, clientId: string): Promise<Fault[]> {
  const { operation, status, cut, latencyMs, remaining } = faults;
  return db
    .select({ operation, status, cut, latencyMs, remaining })
    .from(faults)
    .where(and(eq(faults.clientId, clientId), gt(remaining, 0)))
    .orderBy(asc(operation));
}

/** Counts one call down: of any number of simultaneous calls exactly as many get the fault as it had left. */
export async function takeFault(
  db: Db,
  { clientId, operation }: { clientId: string; operation: string },
): Promise<Omit<Fault, "operation"> | undefined> {
  const { status, cut, latencyMs, remaining } = faults;
  const [fault] = await db
    .update(faults)
    .set({ remaining: sql`${remaining} - 1` })
    .where(and(eq(faults.clientId, clientId), eq(faults.operation, operation), gt(remaining, 0)))
    .returning({ status, cut, latencyMs, remaining });
  return fault;
}

/** Forgets all that is to go wrong with a client's calls. */
export async function deleteFaults(tx: Db, clientId: string): Promise<void> {
  await tx.update(clients).set({ isIntercepted: false }).where(eq(clients.id, clientId));
  await tx.delete(faults).where(eq(faults.clientId, clientId));
}

/** Deletes faults that are used up. A client without any is marked so, and its calls need no further query. */
export async function tidyFaults(tx: Db, clientId: string): Promise<void> {
  // Locked by a statement of its own: what follows sees every fault that was set before.
  await tx.select({ id: clients.id }).from(clients).where(eq(clients.id, clientId)).for("no key update");
  await tx.delete(faults).where(and(eq(faults.clientId, clientId), eq(faults.remaining, 0)));
  const isIntercepted = sql`exists (select from faults where client_id = ${clientId})`;
  await tx.update(clients).set({ isIntercepted }).where(eq(clients.id, clientId));
}

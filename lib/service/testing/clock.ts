import { eq, sql } from "drizzle-orm";
import { database } from "../storage/database.ts";
import { clients } from "../storage/schema.ts";
import type { ClientKey } from "./clients.ts";

/** Moves one client's clock forward, and wakes no worker, as time itself does not. */
export async function advanceClock({ clientId }: ClientKey, seconds: number): Promise<void> {
  const clockOffset = sql`${clients.clockOffset} + make_interval(secs => ${seconds})`;
  await database().update(clients).set({ clockOffset }).where(eq(clients.id, clientId));
}

import { sql } from "drizzle-orm";
import { database } from "../storage/database.ts";
import { clock } from "../storage/schema.ts";

/**
 * Sets how far Harbor's clock runs ahead of real time.
 * @param offset an interval as PostgreSQL reads it: "3 hours", or "0" for real time
 */
export async function setClockAhead(offset: string): Promise<void> {
  const ahead = sql`${offset}::interval`;
  await database()
    .insert(clock)
    .values({ offset: ahead })
    .onConflictDoUpdate({ target: clock.isOnly, set: { offset: ahead } });
}

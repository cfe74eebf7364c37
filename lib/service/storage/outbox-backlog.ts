import { sql } from "drizzle-orm";
import type { Db } from "./database.ts";

/** How many webhooks are due and not delivered, and how many seconds the longest of them has been, each by its client's clock. */
export type OutboxBacklog = { depth: number; oldestSeconds: number };

/** What the webhook sender has before it now. What waits for a retry or for an endpoint is not due, so it does not count. */
export async function readOutboxBacklog(db: Db): Promise<OutboxBacklog> {
  const { rows } = await db.execute<OutboxBacklog>(sql`
    select count(*)::int as depth,
      coalesce(extract(epoch from max(now() + c.clock_offset - d.next_attempt_at)), 0)::float8 as "oldestSeconds"
    from deliveries d join clients c on c.id = d.client_id
    where d.status = 'pending' and d.next_attempt_at <= now() + c.clock_offset`);
  return rows[0] ?? { depth: 0, oldestSeconds: 0 };
}

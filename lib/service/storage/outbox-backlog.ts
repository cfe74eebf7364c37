import { sql } from "drizzle-orm";
import type { Db } from "./database.ts";

/** How many webhooks are due and not delivered, and how many seconds the longest of them has been, each by its client's clock. */
export type OutboxBacklog = { depth: number; oldestSeconds: number };

/** What the webhook sender has before it now. What waits for a retry or for an endpoint is not due, so it does not count. */
export async function readOutboxBacklog(db: Db): Promise<OutboxBacklog> {
  const { rows } = await db.execute<OutboxBacklog>(sql`
    select coalesce(sum(due.depth), 0)::int as depth,
      coalesce(extract(epoch from max(now() + c.clock_offset - due.oldest)), 0)::float8 as "oldestSeconds"
    from clients c join webhook_endpoints e on e.client_id = c.id
    cross join lateral (
      select count(*) as depth, min(d.next_attempt_at) as oldest from deliveries d
      where d.client_id = c.id and d.status = 'pending' and d.next_attempt_at <= now() + c.clock_offset
    ) due
    where e.url is not null and e.disabled_at is null`);
  return rows[0] ?? { depth: 0, oldestSeconds: 0 };
}

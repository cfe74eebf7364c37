import { sql } from "drizzle-orm";
import type { Db } from "./database.ts";

/** How many webhooks are due and not delivered, and how many seconds the longest of them has been. */
export type OutboxBacklog = { depth: number; oldestSeconds: number };

/** What the webhook sender has before it now. What waits for a retry or for an endpoint is not due, so it does not count. */
export async function readOutboxBacklog(db: Db): Promise<OutboxBacklog> {
  const { rows } = await db.execute<OutboxBacklog>(sql`
    with due as (
      select client_id, next_attempt_real_at as at from deliveries where status = 'pending' and is_due
      union all
      select client_id, next_attempt_real_at from deliveries
      where status = 'pending' and not is_due and next_attempt_real_at <= now()
    ), of_clients as (
      select client_id, count(*) as depth, min(at) as oldest from due group by client_id
    )
    select coalesce(sum(depth), 0)::int as depth,
      coalesce(extract(epoch from now() - min(oldest)), 0)::float8 as "oldestSeconds"
    from of_clients d
    where (
      select e.url is not null and e.disabled_at is null and e.probe_real_at is null from webhook_endpoints e
      where e.client_id = d.client_id)`);
  return rows[0] ?? { depth: 0, oldestSeconds: 0 };
}

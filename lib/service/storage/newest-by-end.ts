import { type SQL, sql } from "drizzle-orm";
import { clientTime } from "./clients.ts";

/**
 * The rows of a table among which a client's `limit` newest are, found along its index by client and end. Rows of one kind
 * live equally long, so the last to end is the newest; but some ended early, and some were dated by a clock that was ahead
 * before it was reset. So what lives by the clock as it is, what has ended and what ends later than it could are walked
 * apart: a crowd of one hides none of another.
 */
export function newestByEnd(
  table: string,
  { clientId, lifeSeconds, limit }: { clientId: string; lifeSeconds: number; limit: number },
): SQL {
  const now = clientTime(clientId);
  const latest = sql`${now} + make_interval(secs => ${lifeSeconds})`;
  const walk = (ends: SQL) => sql`(
    select t.* from ${sql.identifier(table)} t where t.client_id = ${clientId} and ${ends}
    order by t.expires_at desc limit ${limit})`;
  const walks = [
    walk(sql`t.expires_at > ${now} and t.expires_at <= ${latest}`),
    walk(sql`t.expires_at <= ${now}`),
    walk(sql`t.expires_at > ${latest}`),
  ];
  return sql`(${sql.join(walks, sql` union all `)})`;
}

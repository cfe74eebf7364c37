import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { clientTime } from "./clients.ts";

// Greater than every id, of which none has all bits set.
const afterAll = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Which rows are of an owner, and after one of them in a list, newest first: a condition and an order that only the index by
 * exactly these columns and the id serves. With `=` PostgreSQL would drop the columns from the order, so that the index by id
 * alone serves too; where most rows are one owner's it expects to find some at its end at once, and walks past all that are
 * newer and others'.
 * @param owner columns with the values that they are to have
 */
export function newestOfOwner(
  owner: [column: SQLWrapper, value: SQLWrapper | string][],
  id: SQLWrapper,
  startingAfter: string = afterAll,
): { isAsked: SQL; newestFirst: SQL } {
  const columns = owner.map(([column]) => column);
  const values = owner.map(([, value]) => value);
  const isOwners = sql`(${listed(columns)}) >= (${listed(values)})`;
  const isAfter = sql`(${listed([...columns, id])}) < (${listed([...values, sql`${startingAfter}::uuid`])})`;
  return {
    isAsked: sql`${isOwners} and ${isAfter}`,
    newestFirst: listed([...columns, id].map((column) => sql`${column} desc`)),
  };
}

function listed(parts: (SQLWrapper | string)[]): SQL {
  return sql.join(
    parts.map((part) => sql`${part}`),
    sql`, `,
  );
}

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

import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

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

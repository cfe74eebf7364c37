import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { clientTime } from "./clients.ts";

/** A page of a list: at most `limit` rows, after the row `startingAfter` in the list's order. */
export type Page = { limit: number; startingAfter: string | undefined };

/** The rows of a page; `next` is the id to continue after, null on the last page. */
export type ListPart<Row> = { rows: Row[]; next: string | null };

/** Reads one row more than the page, to see if there's a next page. */
export async function readPart<Row extends { id: string }>(
  page: Page,
  read: (page: Page) => Promise<Row[]>,
): Promise<ListPart<Row>> {
  const found = await read({ ...page, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  return { rows, next: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null };
}

// Greater than every id, because no id has all bits set.
const afterAll = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * The keyset predicate of an owner's rows and its order, newest first. Row comparisons instead of `=` force the index by owner
 * and id: with `=`, PostgreSQL could scan the index by id alone, past all newer rows of other owners.
 */
export function keysetPage(
  owner: [column: SQLWrapper, value: SQLWrapper | string][],
  id: SQLWrapper,
  startingAfter: string = afterAll,
): { isOnPage: SQL; newestFirst: SQL } {
  const columns = owner.map(([column]) => column);
  const values = owner.map(([, value]) => value);
  const isOwners = sql`(${listed(columns)}) >= (${listed(values)})`;
  const isAfter = sql`(${listed([...columns, id])}) < (${listed([...values, sql`${startingAfter}::uuid`])})`;
  return {
    isOnPage: sql`${isOwners} and ${isAfter}`,
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
 * Candidates for a client's `limit` newest rows, read from its index by client and expiry. Rows have equal lifetimes, so the
 * last to expire is the newest, except for rows that were ended early or dated by a clock that was reset since. Each kind is
 * scanned separately, so that many rows of one kind can't hide another.
 */
export function newestByExpiry(
  table: string,
  { clientId, lifeSeconds, limit }: { clientId: string; lifeSeconds: number; limit: number },
): SQL {
  const now = clientTime(clientId);
  const latest = sql`${now} + make_interval(secs => ${lifeSeconds})`;
  const scan = (ends: SQL) => sql`(
    select t.* from ${sql.identifier(table)} t where t.client_id = ${clientId} and ${ends}
    order by t.expires_at desc limit ${limit})`;
  const scans = [
    scan(sql`t.expires_at > ${now} and t.expires_at <= ${latest}`),
    scan(sql`t.expires_at <= ${now}`),
    scan(sql`t.expires_at > ${latest}`),
  ];
  return sql`(${sql.join(scans, sql` union all `)})`;
}

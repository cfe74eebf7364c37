import { type SQL, sql } from "drizzle-orm";

/** How far a client's clock is ahead of real time, as an SQL interval. */
export function clockOffset(clientId: string): SQL {
  return sql`(select clock_offset from clients where id = ${clientId})`;
}

/** The time on a client's clock, as an SQL value: the database's time plus the client's offset (Decision D15). */
export function clientTime(clientId: string): SQL<Date> {
  return sql<Date>`now() + ${clockOffset(clientId)}`;
}

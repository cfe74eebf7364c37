import { type SQL, sql } from "drizzle-orm";

/** The time on a client's clock, as an SQL value: the database's time plus the client's offset (Decision D15). */
export function clientTime(clientId: string): SQL<Date> {
  return sql<Date>`now() + (select clock_offset from clients where id = ${clientId})`;
}

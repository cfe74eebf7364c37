import { notInArray, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { beginComparingNow } from "./routine-comparison.ts";
import { people } from "./schema.ts";

/** Clears every table, but keeps the clock and the people with these email addresses. Older payments are not adopted again. */
export async function clearAllBut(tx: Db, emails: readonly string[]): Promise<void> {
  const { rows } = await tx.execute<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('clock', 'people')`,
  );
  const tables = sql.join(
    rows.map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
  await tx.execute(sql`truncate ${tables}`);
  await beginComparingNow(tx);
  await tx.delete(people).where(notInArray(people.email, [...emails]));
}

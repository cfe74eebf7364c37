import { ne, notInArray, sql } from "drizzle-orm";
import { channels, type Db } from "../storage/database.ts";
import { startComparisonNow } from "../storage/routine-comparison.ts";
import { clock, people } from "../storage/schema.ts";

/** Clears every table but the clock, and all people but these. Older payments aren't adopted again. */
export async function clearAllExcept(tx: Db, emails: readonly string[]): Promise<void> {
  const { rows } = await tx.execute<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = current_schema() and tablename not in ('clock', 'people')`,
  );
  const tables = sql.join(
    rows.map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
  await tx.execute(sql`truncate ${tables}`);
  await startComparisonNow(tx);
  await tx.delete(people).where(notInArray(people.email, [...emails]));
}

export async function isClockMoved(db: Db): Promise<boolean> {
  const moved = await db.select().from(clock).where(ne(clock.offset, "0"));
  return moved.length > 0;
}

export async function readSecondsAhead(db: Db): Promise<number> {
  const [row] = await db
    .select({ seconds: sql<number>`extract(epoch from ${clock.offset})`.mapWith(Number) })
    .from(clock);
  if (!row) throw new Error("The clock has no row.");
  return Math.floor(row.seconds);
}

/**
 * Moves a sandbox's clock and wakes the worker. A jump forward shortens every session by as much; one back moves payments'
 * next checks back too, and lets failed renewals of tokens be tried at once.
 */
export async function setSecondsAhead(db: Db, seconds: number): Promise<void> {
  await db.execute(sql`
    with earlier as (select extract(epoch from clock_offset) as seconds from clock for update),
      moved as (update clock set clock_offset = make_interval(secs => ${seconds})),
      shortened as (
        update sessions set expires_real_at = expires_real_at - make_interval(secs => ${seconds}::float8 - earlier.seconds)
        from earlier where earlier.seconds < ${seconds}),
      renewals as (update token_pairs set next_renewal_at = null from earlier where earlier.seconds > ${seconds})
    update routines set next_try_at = next_try_at - make_interval(secs => earlier.seconds::float8 - ${seconds})
    from earlier where earlier.seconds > ${seconds} and next_try_at is not null`);
  await db.execute(sql`select pg_notify(${channels.clock}, '')`);
}

import { ne, sql } from "drizzle-orm";
import { brandName } from "../../../brand/name.ts";
import { channels } from "./channels.ts";
import { type Db, harborNow } from "./database.ts";
import { clock } from "./schema.ts";

export async function isClockMoved(db: Db): Promise<boolean> {
  const moved = await db.select().from(clock).where(ne(clock.offset, "0"));
  return moved.length > 0;
}

/** Harbor's time in whole seconds since 1970. */
export async function readHarborSeconds(db: Db): Promise<number> {
  const [row] = await db.select({ seconds: sql<number>`extract(epoch from ${harborNow})`.mapWith(Number) }).from(clock);
  if (!row) throw new Error(`${brandName}'s clock has no row.`);
  return Math.floor(row.seconds);
}

export async function readSecondsAhead(db: Db): Promise<number> {
  const [row] = await db
    .select({ seconds: sql<number>`extract(epoch from ${clock.offset})`.mapWith(Number) })
    .from(clock);
  if (!row) throw new Error("The clock has no row.");
  return Math.floor(row.seconds);
}

/** Moves a sandbox's clock and wakes the worker. */
export async function setSecondsAhead(db: Db, seconds: number): Promise<void> {
  await db.update(clock).set({ offset: sql`make_interval(secs => ${seconds})` });
  await db.execute(sql`select pg_notify(${channels.clock}, '')`);
}

import { sql } from "drizzle-orm";
import type { Db } from "./database.ts";

/** Schedules the deletion of a photo that's about to be stored, in case nothing keeps it. */
export async function planPhotoDeletion(db: Db, id: string, { afterMs }: { afterMs: number }): Promise<void> {
  await db.execute(sql`
    insert into photo_deletions (id, due_real_at) values (${id}, now() + make_interval(secs => ${afterMs / 1000}::float8))`);
}

/** Keeps a photo, in the transaction of its submission; false if its deletion has begun. */
export async function cancelPhotoDeletion(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.execute(
    sql`delete from photo_deletions where id = ${id} and leased_until_real_at is null`,
  );
  return rowCount === 1;
}

/** Leases due deletions that aren't quarantined, so that no other process makes them at the same time. */
export async function claimPhotoDeletions(
  db: Db,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    update photo_deletions set leased_until_real_at = now() + make_interval(secs => ${leaseMs / 1000}::float8)
    where id = any (array(
      select p.id from photo_deletions p
      where p.due_real_at <= now() and (p.leased_until_real_at is null or p.leased_until_real_at <= now())
        and not exists (
          select from quarantine q where q.kind = 'photo_deletion' and q.id = p.id::text and q.retry_real_at > now()
        )
      order by p.due_real_at limit ${limit} for update of p skip locked
    ))
    returning id`);
  return rows.map(({ id }) => id);
}

/** Ends the lease but keeps its time, as a sign that the deletion has begun. */
export async function releasePhotoDeletion(db: Db, id: string): Promise<void> {
  await db.execute(sql`update photo_deletions set leased_until_real_at = now() where id = ${id}`);
}

export async function finishPhotoDeletion(db: Db, id: string): Promise<void> {
  await db.execute(sql`
    with gone as (
      delete from photo_deletions where id = ${id} returning id
    )
    delete from quarantine q using gone where q.kind = 'photo_deletion' and q.id = gone.id::text`);
}

/** Whether this database names photos that a provider stores or must delete. */
export async function hasPhotosAtProvider(db: Db): Promise<boolean> {
  const { rows } = await db.execute<{ hasAny: boolean }>(sql`
    select exists (select from photo_deletions)
      or exists (select from identity_submissions where photo_key_encrypted is not null) as "hasAny"`);
  return rows[0]?.hasAny ?? false;
}

import { sql } from "drizzle-orm";
import type { Db } from "./database.ts";

/**
 * PostgreSQL's own condition. null: not available here (no standby, slot or archive), or not visible to this user
 * (pg_monitor).
 */
export type DatabaseCondition = {
  databaseBytes: number;
  standbys: number;
  /** Age of the oldest open transaction in this database; 0 without one. */
  oldestTransactionSeconds: number | null;
  /** Of the standby that is furthest behind. */
  lagBytes: number | null;
  lagSeconds: number | null;
  /** WAL kept for the slot that is furthest behind. */
  retainedBytes: number | null;
  archivedSeconds: number | null;
  /** The age of the oldest WAL file that waits to be archived; 0 without one. */
  archiveWaitingSeconds: number | null;
  isArchivingFailing: boolean;
};

export async function readDatabaseCondition(db: Db): Promise<DatabaseCondition | undefined> {
  type Found = Omit<DatabaseCondition, "archiveWaitingSeconds"> & { isArchiveVisible: boolean };
  const { rows } = await db.execute<Found>(sql`
    with current as (
      select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end as lsn
    )
    select pg_database_size(current_database())::float8 as "databaseBytes",
      case when pg_has_role(current_user, 'pg_read_all_stats', 'usage') then
        (select coalesce(extract(epoch from clock_timestamp() - min(xact_start)), 0)::float8 from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend') end
        as "oldestTransactionSeconds",
      (select count(*)::int from pg_stat_replication) as standbys,
      (select max(pg_wal_lsn_diff(current.lsn, coalesce(replay_lsn, flush_lsn)))::float8 from pg_stat_replication) as "lagBytes",
      (select extract(epoch from max(coalesce(replay_lag, flush_lag)))::float8 from pg_stat_replication) as "lagSeconds",
      (select max(pg_wal_lsn_diff(current.lsn, restart_lsn))::float8 from pg_replication_slots) as "retainedBytes",
      (select extract(epoch from now() - last_archived_time)::float8 from pg_stat_archiver) as "archivedSeconds",
      (select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) from pg_stat_archiver)
        as "isArchivingFailing",
      current_setting('archive_mode') <> 'off' and has_function_privilege('pg_ls_archive_statusdir()', 'execute')
        as "isArchiveVisible"
    from current`);
  if (!rows[0]) return undefined;
  const { isArchiveVisible, ...condition } = rows[0];
  return { ...condition, archiveWaitingSeconds: isArchiveVisible ? await readArchiveWait(db) : null };
}

// A query of its own, because a missing permission fails it even where the function isn't called. Not the age
// of the last archived file, because an idle server finishes none.
async function readArchiveWait(db: Db): Promise<number | null> {
  const { rows } = await db.execute<{ seconds: number }>(sql`
    select greatest(0, coalesce(extract(epoch from clock_timestamp() - min(modification)), 0))::float8 as seconds
    from pg_ls_archive_statusdir() where name like '%.ready'`);
  return rows[0]?.seconds ?? null;
}

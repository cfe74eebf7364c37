import { type SQL, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import { withTimeout } from "../../kit/transaction.ts";
import { type Db, inTransaction } from "./database.ts";

export type Sweep = { name: string; deleteBatch: (db: Db, batchSize: number) => Promise<number> };

export type Retention = { deliveryRetentionDays: number; endedRetentionDays: number };

// Expired and unknown tokens get the same answer, and there may be many.
const refreshTokenRetention = daysInHours(1);
// A day longer than promised (Decision D13).
const idempotencyKeyRetention = sql`make_interval(hours => ${limits.idempotencyKeyHoursMin + 24})`;
// Wrong codes count for a day (Decision D9).
const failedVerificationRetention = daysInHours(2);

/**
 * Everything that expires: lifetimes and photo IDs by the client's clock; webhooks, idempotency keys and wrong codes by real time
 * (Decision D15).
 */
export function listSweeps({ deliveryRetentionDays, endedRetentionDays }: Retention): Sweep[] {
  const retention = daysInHours(endedRetentionDays);
  return [
    endedAt("authorization_codes", sql`expires_at`, retention),
    endedAt("access_tokens", sql`expires_at`, retention),
    endedAt("refresh_tokens", sql`expires_at`, refreshTokenRetention),
    endedAt("identity_verification_tokens", sql`expires_at`, retention),
    endedAt("visits", sql`expires_at`, retention),
    endedAt("messages", sql`sent_at`, retention),
    { name: "photo_ids", deleteBatch: deleteOldPhotoIds },
    olderThan("idempotency_keys", sql`created_real_at`, idempotencyKeyRetention),
    olderThan("failed_verifications", sql`failed_real_at`, failedVerificationRetention),
    // Left by processes that crashed.
    olderThan("sleeping_workers", sql`wakes_real_at`, daysInHours(1)),
    rowsAt("quarantine", ofFinishedWork),
    {
      name: "deliveries",
      deleteBatch: (db, batchSize) => deleteOldDeliveries(db, { batchSize, retentionDays: deliveryRetentionDays }),
    },
  ];
}

// In the session's time zone, a day can have 23 or 25 hours.
function daysInHours(days: number): SQL {
  return sql`make_interval(hours => ${days * 24})`;
}

function endedAt(table: string, endedAtColumn: SQL, retention: SQL): Sweep {
  return rowsAt(
    table,
    // One index scan per client, because each has its own clock.
    (batchSize) => sql`select ended.ctid from clients c
      cross join lateral (
        select t.ctid from ${sql.identifier(table)} t
        where t.client_id = c.id and t.${endedAtColumn} < now() + c.clock_offset - ${retention} limit ${batchSize}
      ) ended
      limit ${batchSize}`,
  );
}

function olderThan(table: string, realTimeColumn: SQL, retention: SQL): Sweep {
  return rowsAt(
    table,
    (batchSize) =>
      sql`select ctid from ${sql.identifier(table)} where ${realTimeColumn} < now() - ${retention} limit ${batchSize}`,
  );
}

// Left by a process that failed while another finished the work.
function ofFinishedWork(batchSize: number): SQL {
  return sql`select q.ctid from quarantine q where case q.kind
      when 'screening' then not exists (select from screenings s where s.user_intent_id = q.id::uuid)
      when 'transfer' then not exists (select from transfers t where t.id = q.id::uuid and t.status = 'pending')
      when 'settlement_order' then not exists (
        select from settlement_orders o where o.transfer_id = q.id::uuid and o.due_real_at is not null)
      when 'delivery' then not exists (select from deliveries d where d.id = q.id::uuid and d.status = 'pending')
      when 'webhook_endpoint' then not exists (
        select from webhook_endpoints e where e.client_id = q.id and e.url is not null and e.disabled_at is null)
      when 'photo_deletion' then not exists (select from photo_deletions p where p.id = q.id::uuid)
    end limit ${batchSize}`;
}

// By ctid, because the tables have different keys. A row that moves is found next time.
function rowsAt(table: string, ctids: (batchSize: number) => SQL): Sweep {
  return {
    name: table,
    deleteBatch: async (db, batchSize) => {
      const { rowCount } = await db.execute(
        sql`delete from ${sql.identifier(table)} where ctid = any (array(${ctids(batchSize)})::tid[])`,
      );
      return rowCount ?? 0;
    },
  };
}

// Keeps the row, because a person is asked for a photo once (Decision D9). If a screening of the photo is still waiting, it's
// deleted too, and an operator decides.
async function deleteOldPhotoIds(db: Db, batchSize: number): Promise<number> {
  const { photoIdDecidedDays, photoIdUndecidedDays } = limits;
  const { rowCount } = await db.execute(sql`
    with old as (
      select s.id, s.photo_key_encrypted is not null as is_at_provider from identity_submissions s
      join users u on u.id = s.user_id
      join clients c on c.id = u.client_id
      where s.kind = 'document' and num_nonnulls(s.content_encrypted, s.photo_key_encrypted) = 1 and case
        when u.status in ('approved', 'rejected', 'suspended')
        then u.updated_at < now() + c.clock_offset - ${daysInHours(photoIdDecidedDays)}
        else s.created_at < now() + c.clock_offset - ${daysInHours(photoIdUndecidedDays)}
      end
      limit ${batchSize}
    ), waiting as (
      select user_intent_id from screenings where identity_submission_id in (select id from old)
      order by user_intent_id for update
    ), ended as (
      delete from screenings where user_intent_id in (select user_intent_id from waiting) returning user_intent_id
    ), no_longer_set_aside as (
      delete from quarantine where kind = 'screening' and id in (select user_intent_id::text from ended)
    ), at_provider as (
      insert into photo_deletions (id, due_real_at) select id, now() from old where is_at_provider
      on conflict do nothing
    )
    update identity_submissions set content_encrypted = null, photo_key_encrypted = null where id in (select id from old)`);
  return rowCount ?? 0;
}

// For months with pending deliveries, which can't be dropped as a whole.
async function deleteOldDeliveries(
  db: Db,
  { batchSize, retentionDays }: { batchSize: number; retentionDays: number },
): Promise<number> {
  const { rowCount } = await db.execute(sql`
    with old as (
      select id from deliveries where id < ${oldestRetainedId(retentionDays)} and status <> 'pending' order by id limit ${batchSize}
    ), attempts as (
      delete from delivery_attempts where delivery_id in (select id from old)
    )
    delete from deliveries where id in (select id from old)`);
  return rowCount ?? 0;
}

function oldestRetainedId(retentionDays: number): SQL {
  return sql`first_id_at(date_trunc('month', now() - ${daysInHours(retentionDays)}, 'UTC'))`;
}

export const monthlyTables = ["deliveries", "delivery_attempts"] as const;

/**
 * Creates one more monthly partition, until the newest begins more than a month from now, and returns its name.
 * Undefined if there are enough or another process does it. Throws a lock timeout if the table is in use.
 */
export function createNextMonth(table: (typeof monthlyTables)[number]): Promise<string | undefined> {
  return runStep("select divide_by_month($1) as done, keep_statistics_off($1)", [table]);
}

/** Drops one month that's too old and has nothing pending, and returns its name; undefined if there's none. */
export function dropMonthOfDeliveries(retentionDays: number): Promise<string | undefined> {
  return runStep("select drop_month_of_deliveries(now() - make_interval(hours => $1)) as done", [retentionDays * 24]);
}

// Partitioning a table that grew for years reads it once, without blocking others.
const stepMs = 60 * 60 * 1000;

function runStep(text: string, values: unknown[]): Promise<string | undefined> {
  return inTransaction(async (_tx, connection) => {
    await connection.query("set local statement_timeout = '1 h'");
    const { rows } = await connection.query<{ done: string | null }>(withTimeout(stepMs, text, values));
    return rows[0]?.done ?? undefined;
  });
}

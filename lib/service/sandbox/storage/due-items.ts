import { type SQL, sql } from "drizzle-orm";
import type { DueKind } from "../../../contract/sandbox.ts";
import type { Db } from "../../storage/database.ts";

/** Tokens and codes have no public id, so they're listed under their user or intent. */
export type DueItem = { kind: DueKind; id: string; dueAt: Date };

/** Items overdue or due within `seconds` on the client's clock, soonest first, at most `limit`. */
export async function listDueItems(
  db: Db,
  { clientId, seconds, limit }: { clientId: string; seconds: number; limit: number },
): Promise<DueItem[]> {
  // The soonest of each kind by index, then the soonest overall.
  const soonest = (select: SQL, dueAt: SQL) => sql`(${select} order by ${dueAt} limit ${limit})`;
  const [now, until] = [sql`(select now from clock)`, sql`(select until from clock)`];
  const waiting = (kind: DueKind, table: string, id: SQL, dueRealAt: SQL, condition: SQL) =>
    soonest(
      sql`select ${kind}::text as kind, ${id} as id, ${dueRealAt} + (select clock_offset from clock) as due_at
        from ${sql.identifier(table)}
        where client_id = ${clientId} and ${dueRealAt} <= now() + make_interval(secs => ${seconds}) and ${condition}`,
      dueRealAt,
    );
  const hasEndpoint = sql`exists (
    select from webhook_endpoints e where e.client_id = ${clientId} and e.url is not null and e.disabled_at is null)`;
  // A one-client range makes PostgreSQL use the index that starts with client_id.
  const delivery = (condition: SQL) =>
    soonest(
      sql`select 'delivery'::text, id, next_attempt_real_at + (select clock_offset from clock) from deliveries
        where client_id between ${clientId} and ${clientId} and status = 'pending' and ${condition} and ${hasEndpoint}
          and next_attempt_real_at <= now() + make_interval(secs => ${seconds})`,
      sql`client_id, next_attempt_real_at`,
    );
  const expiring = (kind: DueKind, from: SQL, id: SQL, dueAt: SQL, condition: SQL) =>
    soonest(
      sql`select ${kind}::text as kind, ${id} as id, ${dueAt} as due_at from ${from}
        where t.client_id = ${clientId} and ${dueAt} > ${now} and ${dueAt} <= ${until} and ${condition}`,
      dueAt,
    );
  const authorized = (table: string) =>
    sql`${sql.identifier(table)} t join authorizations z on z.id = t.authorization_id and z.revoked_at is null`;
  const expiresAt = sql`t.expires_at`;
  const kinds = [
    waiting("screening", "screenings", sql`user_intent_id`, sql`due_real_at`, sql`true`),
    waiting("transfer", "transfers", sql`id`, sql`due_real_at`, sql`status = 'pending'`),
    delivery(sql`is_due`),
    delivery(sql`not is_due`),
    soonest(
      sql`select 'delivery', d.id, e.probe_real_at + (select clock_offset from clock)
        from webhook_endpoints e cross join lateral (
          select id from deliveries
          where client_id = e.client_id and status = 'pending' and next_attempt_real_at is null
          order by attempts, id limit 1
        ) d
        where e.client_id = ${clientId} and e.disabled_at is null and e.url is not null and has_waiting
          and e.probe_real_at <= now() + make_interval(secs => ${seconds})`,
      sql`e.probe_real_at`,
    ),
    expiring(
      "identity_verification_token",
      sql`identity_verification_tokens t`,
      sql`coalesce(t.user_intent_id, t.user_id)`,
      expiresAt,
      sql`t.spent_at is null`,
    ),
    expiring("visit", sql`visits t`, sql`t.id`, expiresAt, sql`t.finished_at is null`),
    expiring(
      "verification_code",
      sql`visits t`,
      sql`t.id`,
      sql`t.verification_code_expires_at`,
      sql`t.finished_at is null and t.verification_code_hash is not null and t.expires_at > ${now}`,
    ),
    expiring(
      "authorization_code",
      authorized("authorization_codes"),
      sql`t.user_id`,
      expiresAt,
      sql`t.redeemed_at is null`,
    ),
    expiring("access_token", authorized("access_tokens"), sql`t.user_id`, expiresAt, sql`t.superseded_at is null`),
    expiring("refresh_token", authorized("refresh_tokens"), sql`t.user_id`, expiresAt, sql`true`),
  ];
  const { rows } = await db.execute<Omit<DueItem, "dueAt"> & { dueAtMs: number }>(sql`
    with clock as (
      select clock_offset, now() + clock_offset as now, now() + clock_offset + make_interval(secs => ${seconds}) as until
      from clients where id = ${clientId}
    )
    select kind, id, (extract(epoch from due_at) * 1000)::float8 as "dueAtMs"
    from (${sql.join(kinds, sql` union all `)}) item
    order by due_at, kind, id limit ${limit}`);
  return rows.map(({ dueAtMs, ...item }) => ({ ...item, dueAt: new Date(dueAtMs) }));
}

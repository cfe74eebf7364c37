import { sql } from "drizzle-orm";
import type { DueKind } from "../../contract/sandbox-clock.ts";
import type { Db } from "./database.ts";

/** Something that falls due. Tokens and codes are named by their user or intent, as they have no id that may be shown. */
export type DueItem = { kind: DueKind; id: string; dueAt: Date };

/** What falls due for a client within so many seconds by its clock, and what is overdue, soonest first, at most `limit`. */
export async function listDueItems(
  db: Db,
  { clientId, seconds, limit }: { clientId: string; seconds: number; limit: number },
): Promise<DueItem[]> {
  const { rows } = await db.execute<Omit<DueItem, "dueAt"> & { dueAtMs: number }>(sql`
    with clock as (
      select now() + clock_offset as now, now() + clock_offset + make_interval(secs => ${seconds}) as until
      from clients where id = ${clientId}
    ), waiting as (
      select 'screening' as kind, user_intent_id as id, due_at from screenings where client_id = ${clientId}
      union all
      select 'transfer', id, due_at from transfers where client_id = ${clientId} and status = 'pending'
      union all
      select 'delivery', id, next_attempt_at from deliveries where client_id = ${clientId} and status = 'pending'
    ), living as (
      select 'identity_verification_token' as kind, coalesce(user_intent_id, user_id) as id, expires_at as due_at
      from identity_verification_tokens where client_id = ${clientId} and spent_at is null
      union all
      select 'visit', id, expires_at from visits where client_id = ${clientId} and finished_at is null
      union all
      select 'verification_code', id, verification_code_expires_at from visits, clock
      where client_id = ${clientId} and finished_at is null and verification_code_hash is not null
        and expires_at > clock.now
      union all
      select 'authorization_code', c.user_id, c.expires_at
      from authorization_codes c join authorizations z on z.id = c.authorization_id
      where c.client_id = ${clientId} and c.redeemed_at is null and z.revoked_at is null
      union all
      select 'access_token', t.user_id, t.expires_at from access_tokens t join users u on u.id = t.user_id
      where u.client_id = ${clientId} and t.superseded_at is null and t.revoked_at is null
      union all
      select 'refresh_token', user_id, expires_at from refresh_tokens
      where client_id = ${clientId} and revoked_at is null
    )
    select kind, id, (extract(epoch from due_at) * 1000)::float8 as "dueAtMs"
    from (
      select waiting.* from waiting, clock where due_at <= clock.until
      union all
      select living.* from living, clock where due_at > clock.now and due_at <= clock.until
    ) item
    order by due_at, kind, id limit ${limit}`);
  return rows.map(({ dueAtMs, ...item }) => ({ ...item, dueAt: new Date(dueAtMs) }));
}

import { eq, type SQL, sql } from "drizzle-orm";
import { limits } from "../../../contract/limits.ts";
import { channels } from "../../storage/channels.ts";
import type { Db } from "../../storage/database.ts";
import { clients } from "../../storage/schema.ts";

export type Clock = { now: Date; offsetSeconds: number };

export async function findClock(db: Db, clientId: string): Promise<Clock> {
  const [clock] = await db.select(shown).from(clients).where(eq(clients.id, clientId));
  if (!clock) throw new Error("The client does not exist.");
  return clock;
}

/**
 * Advances a client's clock and everything that is due by it, in one transaction; undefined if that would be more than
 * `aheadSecondsMax` ahead.
 */
export async function advanceClock(
  tx: Db,
  { clientId, seconds, aheadSecondsMax }: { clientId: string; seconds: number; aheadSecondsMax: number },
): Promise<Clock | undefined> {
  const clockOffset = sql`${clients.clockOffset} + make_interval(secs => ${seconds})`;
  const [moved] = await tx
    .update(clients)
    .set({ clockOffset })
    .where(sql`${clients.id} = ${clientId} and ${clockOffset} <= make_interval(secs => ${aheadSecondsMax})`)
    .returning({ id: clients.id });
  if (!moved) return undefined;
  for (const statement of statementsOfMove(clientId, seconds)) await tx.execute(statement);
  return findClock(tx, clientId);
}

// Concurrent inserts already use the new offset. In the lock order of docs/architecture.md.
function statementsOfMove(clientId: string, seconds: number): SQL[] {
  const earlier = (column: string) =>
    sql`(${sql.raw(column)} at time zone 'UTC' - make_interval(secs => ${seconds})) at time zone 'UTC'`;
  return [
    sql`
      update screenings set due_real_at = ${earlier("due_real_at")} where user_intent_id in (
        select user_intent_id from screenings where client_id = ${clientId} order by user_intent_id for no key update)`,
    sql`
      update transfers set due_real_at = ${earlier("due_real_at")} where id in (
        select id from transfers
        where client_id = ${clientId} and status = 'pending' and due_real_at is not null
        order by id for no key update)`,
    sql`
      update deliveries set next_attempt_real_at = ${earlier("next_attempt_real_at")} where id in (
        select id from deliveries
        where client_id = ${clientId} and status = 'pending' and next_attempt_real_at is not null
        order by id for no key update)`,
    sql`
      update webhook_endpoints set probe_real_at = ${earlier("probe_real_at")}
      where client_id = ${clientId} and probe_real_at is not null`,
  ];
}

/** Sets a client's clock to real time. Follow with `expireAfterClockReset`. */
export async function resetClock(db: Db, clientId: string): Promise<void> {
  await db.update(clients).set({ clockOffset: "0" }).where(eq(clients.id, clientId));
}

/**
 * Waits for open transactions that wrote rows of this client by its old clock. They share-lock the client's row; lock
 * nothing else here, or they could wait for this one.
 */
export async function waitForWriters(db: Db, clientId: string): Promise<void> {
  await db.select({ id: clients.id }).from(clients).where(eq(clients.id, clientId)).for("update");
}

/** Wakes the workers at commit, because the new time makes other work due. */
export async function wakeWorkers(tx: Db): Promise<void> {
  await tx.execute(
    sql`select pg_notify(channel, current_schema()) from unnest(array[${channels.screenings}, ${channels.transfers}, ${channels.deliveries}]) channel`,
  );
}

/**
 * After a reset: future due times become due, open visits and unused session tokens expire, and every authorization of
 * the client ends. Idempotent.
 */
export async function expireAfterClockReset(tx: Db, clientId: string): Promise<void> {
  for (const statement of statementsAfterReset(clientId)) await tx.execute(statement);
}

// In the lock order of docs/architecture.md. Locks no user, intent or account, whose holders may wait for these rows.
function statementsAfterReset(clientId: string): SQL[] {
  return [
    sql`select from clients where id = ${clientId} for no key update`,
    sql`
      update visits set expires_at = now() where id in (
        select id from visits
        where client_id = ${clientId} and finished_at is null and expires_at > now() order by id for no key update)`,
    sql`
      update identity_verification_tokens set expires_at = now()
      where client_id = ${clientId} and spent_at is null and expires_at > now()`,
    sql`
      update screenings set due_real_at = now() where user_intent_id in (
        select user_intent_id from screenings
        where client_id = ${clientId} and due_real_at > now() order by user_intent_id for no key update)`,
    sql`
      update transfers set due_real_at = now() where id in (
        select id from transfers
        where client_id = ${clientId} and status = 'pending' and due_real_at > now() order by id for no key update)`,
    sql`
      update deliveries set next_attempt_real_at = now() where id in (
        select id from deliveries
        where client_id = ${clientId} and status = 'pending' and next_attempt_real_at > now()
        order by id for no key update)`,
    sql`
      update webhook_endpoints set failing_since = ${atMost("failing_since", "now()")},
        probe_real_at = ${atMost("probe_real_at", "now()")},
        previous_secret_expires_at = ${atMost("previous_secret_expires_at", previousSecretEnds)}
      where client_id = ${clientId}`,
    sql`
      update authorizations set revoked_at = now() where id in (
        select id from authorizations
        where client_id = ${clientId} and revoked_at is null order by id for no key update)`,
  ];
}

const previousSecretEnds = `now() + interval '${limits.webhookPreviousSecretSeconds} seconds'`;

// Not least(), which ignores nulls and would give a working endpoint the times of a failing one.
function atMost(column: string, latest: string): SQL {
  return sql.raw(`case when ${column} > ${latest} then ${latest} else ${column} end`);
}

const shown = {
  now: sql<Date>`now() + ${clients.clockOffset}`.mapWith(clients.createdAt),
  offsetSeconds: sql<number>`extract(epoch from ${clients.clockOffset})::float8`,
};

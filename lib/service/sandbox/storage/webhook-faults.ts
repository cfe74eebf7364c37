import { eq, sql } from "drizzle-orm";
import type { WebhookFaultKind } from "../../../contract/webhooks.ts";
import { channels } from "../../storage/channels.ts";
import type { Db } from "../../storage/database.ts";
import { webhookFaults } from "./schema.ts";

/** What is to go wrong with the next `remaining` deliveries of a client. */
export type WebhookFault = { kind: WebhookFaultKind; remaining: number };

/** Sets what is to go wrong; what was set before is forgotten. */
export async function upsertWebhookFault(db: Db, fault: WebhookFault & { clientId: string }): Promise<void> {
  const { kind, remaining } = fault;
  await db
    .insert(webhookFaults)
    .values(fault)
    .onConflictDoUpdate({ target: webhookFaults.clientId, set: { kind, remaining } });
}

/** Removes the fault of a client's webhooks. What has happened already stays. */
export async function deleteWebhookFault(db: Db, clientId: string): Promise<void> {
  await db.delete(webhookFaults).where(eq(webhookFaults.clientId, clientId));
}

/** What is set for a client; `remaining` is 0 once all of it has happened. */
export async function findWebhookFault(db: Db, clientId: string): Promise<WebhookFault | undefined> {
  const { kind, remaining } = webhookFaults;
  const [fault] = await db.select({ kind, remaining }).from(webhookFaults).where(eq(webhookFaults.clientId, clientId));
  return fault;
}

/** Those of these clients for whom anything was set, used up or not. */
export async function listFaultyClientIds(db: Db, clientIds: string[]): Promise<Set<string>> {
  const { rows } = await db.execute<{ clientId: string }>(
    sql`select client_id as "clientId" from webhook_faults where client_id = any (${sql.param(clientIds)}::text[])`,
  );
  return new Set(rows.map(({ clientId }) => clientId));
}

/**
 * Counts one fault against a claimed delivery and returns its kind; undefined when none is left, or when the delivery was
 * attempted before or has had its fault. Delayed or reordered, it is handed back with a later time of its client's clock.
 */
export async function takeWebhookFault(
  db: Db,
  {
    id,
    clientId,
    delaySeconds,
    reorderSeconds,
  }: { id: string; clientId: string; delaySeconds: number; reorderSeconds: number },
): Promise<WebhookFaultKind | undefined> {
  // Of two that follow each other only the first is held back, or they would change places twice.
  const { rows } = await db.execute<{ kind: WebhookFaultKind }>(sql`
    with taken as (
      update webhook_faults set remaining = remaining - 1
      where client_id = ${clientId} and remaining > 0
        and exists (select from deliveries where id = ${id} and fault is null and attempts = 0)
        and not (kind = 'reorder' and exists (
          select from deliveries where client_id = ${clientId} and status = 'pending' and fault = 'reorder' and attempts = 0))
      returning kind
    )
    update deliveries d set fault = taken.kind,
      leased_until_real_at = case when taken.kind not in ('delay', 'reorder') then d.leased_until_real_at end,
      next_attempt_real_at = case taken.kind
        when 'delay' then now() + make_interval(secs => ${delaySeconds})
        when 'reorder' then now() + make_interval(secs => ${reorderSeconds})
        else d.next_attempt_real_at end,
      is_due = taken.kind not in ('delay', 'reorder')
    from taken
    where d.id = ${id}
    returning taken.kind`);
  return rows[0]?.kind;
}

/** Makes a client's held-back delivery due, because one that came after it has been sent. */
export async function releaseReorderedDelivery(db: Db, clientId: string): Promise<void> {
  await db.execute(sql`
    with released as (
      update deliveries d set next_attempt_real_at = now(), is_due = true
      where d.client_id = ${clientId} and d.status = 'pending' and d.fault = 'reorder'
        and d.attempts = 0 and d.next_attempt_real_at > now()
      returning d.id
    )
    select pg_notify(${channels.deliveries}, '') from released limit 1`);
}

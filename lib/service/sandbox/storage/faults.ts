import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { FaultCut, FaultStatus, ForeignPart } from "../../../contract/sandbox-faults.ts";
import type { WebhookFaultKind } from "../../../contract/webhooks.ts";
import { channels } from "../../storage/channels.ts";
import type { Db } from "../../storage/database.ts";
import { clients } from "../../storage/schema.ts";
import { faults, webhookFaults } from "./schema.ts";

/** A fault for the next `remaining` calls. With only latency, it slows them. `foreignPart` is for redirects back. */
export type Fault = {
  operation: string;
  status: FaultStatus | null;
  cut: FaultCut | null;
  foreignPart: ForeignPart | null;
  latencyMs: number;
  remaining: number;
};

export async function upsertFault(tx: Db, { clientId, ...fault }: Fault & { clientId: string }): Promise<void> {
  // Lock the client first, as tidyFaults does, so the mark and the rows change together.
  await tx.update(clients).set({ isIntercepted: true }).where(eq(clients.id, clientId));
  await tx
    .insert(faults)
    .values({ clientId, ...fault })
    .onConflictDoUpdate({ target: [faults.clientId, faults.operation], set: fault });
}

export function listFaults(db: Db, clientId: string): Promise<Fault[]> {
  const { operation, status, cut, foreignPart, latencyMs, remaining } = faults;
  return db
    .select({ operation, status, cut, foreignPart, latencyMs, remaining })
    .from(faults)
    .where(and(eq(faults.clientId, clientId), gt(remaining, 0)))
    .orderBy(asc(operation));
}

/** Uses up one of the fault's calls; safe under concurrency. */
export async function takeFault(
  db: Db,
  { clientId, operation }: { clientId: string; operation: string },
): Promise<Omit<Fault, "operation"> | undefined> {
  const { status, cut, foreignPart, latencyMs, remaining } = faults;
  const [fault] = await db
    .update(faults)
    .set({ remaining: sql`${remaining} - 1` })
    .where(and(eq(faults.clientId, clientId), eq(faults.operation, operation), gt(remaining, 0)))
    .returning({ status, cut, foreignPart, latencyMs, remaining });
  return fault;
}

export async function deleteFaults(tx: Db, clientId: string): Promise<void> {
  await tx.update(clients).set({ isIntercepted: false }).where(eq(clients.id, clientId));
  await tx.delete(faults).where(eq(faults.clientId, clientId));
}

/** Deletes used-up faults, and unmarks clients without faults to save a query per call. */
export async function tidyFaults(tx: Db, clientId: string): Promise<void> {
  // Lock in a separate statement, so the next ones see all earlier faults.
  await tx.select({ id: clients.id }).from(clients).where(eq(clients.id, clientId)).for("no key update");
  await tx.delete(faults).where(and(eq(faults.clientId, clientId), eq(faults.remaining, 0)));
  const isIntercepted = sql`exists (select from faults where client_id = ${clientId})`;
  await tx.update(clients).set({ isIntercepted }).where(eq(clients.id, clientId));
}

/** A fault for a client's next `remaining` deliveries. */
export type WebhookFault = { kind: WebhookFaultKind; remaining: number };

export async function upsertWebhookFault(db: Db, fault: WebhookFault & { clientId: string }): Promise<void> {
  const { kind, remaining } = fault;
  await db
    .insert(webhookFaults)
    .values(fault)
    .onConflictDoUpdate({ target: webhookFaults.clientId, set: { kind, remaining } });
}

export async function deleteWebhookFault(db: Db, clientId: string): Promise<void> {
  await db.delete(webhookFaults).where(eq(webhookFaults.clientId, clientId));
}

/** A client's delivery fault; `remaining` is 0 once used up. */
export async function findWebhookFault(db: Db, clientId: string): Promise<WebhookFault | undefined> {
  const { kind, remaining } = webhookFaults;
  const [fault] = await db.select({ kind, remaining }).from(webhookFaults).where(eq(webhookFaults.clientId, clientId));
  return fault;
}

/** With a fault left, or webhooks that a used-up `reorder` may still hold back. */
export async function listFaultyClientIds(db: Db, clientIds: string[]): Promise<Set<string>> {
  const { rows } = await db.execute<{ clientId: string }>(sql`
    select client_id as "clientId" from webhook_faults
    where client_id = any (${sql.param(clientIds)}::text[]) and (remaining > 0 or kind = 'reorder')`);
  return new Set(rows.map(({ clientId }) => clientId));
}

/**
 * Applies one fault to a claimed delivery and returns its kind; undefined if none is left, or for a retry or a delivery that
 * already had one. A kind in `heldBackSeconds` holds the delivery back: its lease ends, and it's due that much later.
 */
export async function takeWebhookFault(
  db: Db,
  {
    id,
    clientId,
    heldBackSeconds,
  }: { id: string; clientId: string; heldBackSeconds: Partial<Record<WebhookFaultKind, number>> },
): Promise<WebhookFaultKind | undefined> {
  const seconds = sql`(${JSON.stringify(heldBackSeconds)}::jsonb ->> taken.kind)::int`;
  // Hold back only the first of two consecutive deliveries, or they would swap twice.
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
      leased_until_real_at = case when ${seconds} is null then d.leased_until_real_at end,
      next_attempt_real_at = coalesce(now() + make_interval(secs => ${seconds}), d.next_attempt_real_at),
      is_due = ${seconds} is null
    from taken
    where d.id = ${id}
    returning taken.kind`);
  return rows[0]?.kind;
}

/** Makes the deliveries due that this fault of a client holds back. */
export async function releaseHeldBack(
  db: Db,
  { clientId, kind }: { clientId: string; kind: WebhookFaultKind },
): Promise<void> {
  await db.execute(sql`
    with released as (
      update deliveries d set next_attempt_real_at = now(), is_due = true
      where d.client_id = ${clientId} and d.status = 'pending' and d.fault = ${kind}
        and d.attempts = 0 and d.next_attempt_real_at > now()
      returning d.id
    )
    select pg_notify(${channels.deliveries}, current_schema()) from released limit 1`);
}

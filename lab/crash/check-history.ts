import { sha256 } from "../../lib/kit/secrets.ts";
import { servicePool } from "../../lib/service/storage/database.ts";
import { findLedgerProblems } from "../../lib/service/testing/ledger-problems.ts";
import {
  type Attempt,
  acknowledgmentOf,
  type Booking,
  type Grant,
  type Intent,
  isSuccess,
  type Operation,
} from "./history.ts";
import type { Load } from "./load.ts";

/** Violations by kind, one sentence each. A sound run has none. */
export type Findings = {
  /** Acknowledged or announced, but missing or different. */
  lost: string[];
  /** Done twice, or announced under two ids. */
  doubled: string[];
  unbalanced: string[];
  /** Due but not done, or done without its webhook arriving. */
  undelivered: string[];
  /** Answered as a failure, but present. */
  falseFailures: string[];
  /** An unexpected answer, such as 500. */
  wrongAnswers: string[];
};

/**
 * Compares the actors' answers with the tables and the received webhooks. The system must be idle.
 * @param load its actors must have stopped
 * @param deliveries how often each webhook id arrived
 */
export async function checkHistory(
  load: Pick<Load, "operations" | "repeatAcknowledged">,
  deliveries: Map<string, number>,
): Promise<Findings> {
  const { operations } = load;
  const findings: Findings = {
    lost: await load.repeatAcknowledged(),
    doubled: [],
    unbalanced: await findLedgerProblems(),
    undelivered: [],
    falseFailures: [],
    wrongAnswers: operations.flatMap(findWrongAnswers),
  };
  await checkBookings(
    operations.filter((one) => one.kind === "booking"),
    findings,
  );
  await checkIntents(
    operations.filter((one) => one.kind === "intent"),
    findings,
  );
  await checkGrants(
    operations.filter((one) => one.kind === "grant"),
    findings,
  );
  await checkWebhooks(deliveries, findings);
  return findings;
}

async function checkBookings(bookings: Booking[], findings: Findings): Promise<void> {
  type Row = { name: string; createdAt: Date; id: string; transferId: string; sourceId: string; destinationId: string };
  const { rows } = await servicePool().query<Row>(`
    select r.id, t.id as "transferId", r.name, t.source_id as "sourceId", t.destination_id as "destinationId",
      t.amount_cents as "amountCents", r.created_at as "createdAt"
    from routines r join transfers t on t.routine_id = r.id`);
  const stored = Map.groupBy(rows, ({ name }) => name);

  for (const booking of bookings) {
    const { name, amountCents, sourceId, destinationId } = booking;
    const [row, ...others] = stored.get(name) ?? [];
    if (others.length > 0) findings.doubled.push(`${name} exists ${others.length + 1} times.`);
    const acknowledged = acknowledgmentOf(booking);
    if (acknowledged) {
      const answer = JSON.parse(acknowledged.text) as { id: string; transfer_id: string };
      const isThere = rowIs(row, {
        id: answer.id,
        transferId: answer.transfer_id,
        sourceId,
        destinationId,
        amountCents,
      });
      if (!isThere)
        findings.lost.push(`${name} was acknowledged as ${answer.id} and is ${row ? "a different one" : "missing"}.`);
    }
    findings.falseFailures.push(...findFalseFailures(name, booking, row));
  }
}

function rowIs(row: object | undefined, expected: Record<string, string | number>): boolean {
  const found = new Map(Object.entries(row ?? {}));
  return Object.entries(expected).every(([name, value]) => String(found.get(name)) === String(value));
}

async function checkIntents(intents: Intent[], findings: Findings): Promise<void> {
  const { rows } = await servicePool().query<{ id: string; email: string; status: string; createdAt: Date }>(
    'select id, email, status, created_at as "createdAt" from user_intents',
  );
  const stored = Map.groupBy(rows, ({ email }) => email);
  for (const intent of intents) {
    const { email } = intent;
    const [row, ...others] = stored.get(email) ?? [];
    if (others.length > 0) findings.doubled.push(`${email} exists ${others.length + 1} times.`);
    const acknowledged = acknowledgmentOf(intent);
    if (acknowledged) {
      const { id } = JSON.parse(acknowledged.text) as { id: string };
      if (row?.id !== id)
        findings.lost.push(`${email} was acknowledged as ${id} and is ${row ? "a different one" : "missing"}.`);
    }
    if (row?.status === "pending") findings.undelivered.push(`${email} was never decided.`);
    findings.falseFailures.push(...findFalseFailures(email, intent, row));
  }
}

/**
 * A failure means that nothing happened. So anything that exists comes from a successful request, or from an unanswered one
 * sent before its transaction began.
 */
function findFalseFailures(
  name: string,
  { attempts }: Booking | Intent,
  row: { createdAt: Date } | undefined,
): string[] {
  const failures = attempts.filter(({ outcome }) => outcome.kind === "answer" && !isSuccess(outcome));
  if (!row || failures.length === 0) return [];
  const isExplained = attempts.some(
    ({ outcome, sentAt }) =>
      (outcome.kind === "none" || (isSuccess(outcome) && !outcome.isReplay)) && sentAt <= row.createdAt.getTime(),
  );
  return isExplained ? [] : [`${name} got ${statusesOf(attempts)} but exists.`];
}

async function checkGrants(grants: Grant[], findings: Findings): Promise<void> {
  type Row = { userId: string; hash: Buffer; createdAt: Date };
  const { rows } = await servicePool().query<Row>(
    'select user_id as "userId", token_hash as hash, created_at as "createdAt" from refresh_tokens order by created_at',
  );
  const stored = Map.groupBy(rows, ({ userId }) => userId);
  const { rows: spent } = await servicePool().query<{ hash: Buffer }>(
    "select code_hash as hash from authorization_codes where redeemed_at is not null",
  );
  const spentCodes = new Set(spent.map(({ hash }) => hash.toString("hex")));

  for (const [userId, userGrants] of Map.groupBy(grants, (grant) => grant.userId)) {
    const issued = new Map((stored.get(userId) ?? []).map((row) => [row.hash.toString("hex"), row]));
    for (const grant of userGrants) {
      const acknowledged = acknowledgmentOf(grant);
      if (acknowledged) {
        const { refresh_token: token } = JSON.parse(acknowledged.text) as { refresh_token: string };
        if (!issued.delete(hexHash(token))) findings.lost.push(`A token pair issued to ${userId} is missing.`);
      }
      const isFailed = grant.attempts.every(({ outcome }) => outcome.kind === "answer" && !isSuccess(outcome));
      if (grant.code && isFailed && spentCodes.has(hexHash(grant.code))) {
        findings.falseFailures.push(`A code of ${userId} got ${statusesOf(grant.attempts)} but is used up.`);
      }
    }
    findings.falseFailures.push(...findUnexplainedPairs(userId, userGrants, [...issued.values()]));
  }
}

/**
 * Pairs that no client received must come from earlier unanswered requests. A user's first pair comes with the user.
 */
function findUnexplainedPairs(userId: string, grants: Grant[], pairs: { createdAt: Date }[]): string[] {
  const attempts = grants.flatMap((grant) => grant.attempts);
  const firstSentAt = Math.min(...attempts.map(({ sentAt }) => sentAt));
  const unanswered = attempts.filter(({ outcome }) => outcome.kind === "none").map(({ sentAt }) => sentAt);
  const unknown = pairs.filter(({ createdAt }) => createdAt.getTime() >= firstSentAt);
  return unknown.flatMap(({ createdAt }, index) => {
    const possible = unanswered.filter((sentAt) => sentAt <= createdAt.getTime()).length;
    return possible > index
      ? []
      : [`${userId} has a pair of ${createdAt.toISOString()} that no unanswered request explains.`];
  });
}

async function checkWebhooks(deliveries: Map<string, number>, findings: Findings): Promise<void> {
  type Row = { type: string; resourceId: string; ids: string[]; isDelivered: boolean };
  const { rows } = await servicePool().query<Row>(`
    with changed as (
      select 'transfer_updated' as type, id as resource_id from transfers where status <> 'pending'
      union all select 'routine_updated', id from routines where status <> 'active'
      union all select 'user_intent_updated', id from user_intents where status in ('approved', 'rejected')
    ), announced as (
      select webhook_type as type, resource_id, array_agg(id::text) as ids, bool_and(status = 'delivered') as is_delivered
      from deliveries group by 1, 2
    )
    select type, resource_id as "resourceId", coalesce(a.ids, '{}') as ids, coalesce(a.is_delivered, false) as "isDelivered"
    from changed c full join announced a using (type, resource_id)`);
  const { rows: unfinished } = await servicePool().query<{ id: string }>(
    "select id from transfers where status = 'pending' and due_real_at is not null",
  );
  for (const { id } of unfinished) findings.undelivered.push(`Transfer ${id} is due but wasn't settled.`);

  const states = await describeUndelivered();
  const known = new Set(rows.flatMap(({ ids }) => ids));
  for (const { type, resourceId, ids, isDelivered } of rows) {
    if (ids.length > 1) findings.doubled.push(`${type} of ${resourceId} has ${ids.length} webhook ids.`);
    if (ids.length === 0) findings.undelivered.push(`${type} of ${resourceId} was never written.`);
    else if (!isDelivered || !ids.every((id) => deliveries.has(id))) {
      const state = ids
        .map((id) => `${states.get(id)}, ${deliveries.has(id) ? "arrived" : "never arrived"}`)
        .join("; ");
      findings.undelivered.push(
        `${type} of ${resourceId} ${isDelivered ? "didn't arrive" : `is not delivered: ${state}`}.`,
      );
    }
  }
  for (const webhookId of deliveries.keys()) {
    if (!known.has(webhookId)) findings.lost.push(`Webhook ${webhookId} announced a record that doesn't exist.`);
  }
}

/** Why each undelivered webhook is waiting, by id. */
async function describeUndelivered(): Promise<Map<string, string>> {
  const { rows } = await servicePool().query<{ id: string; state: string }>(`
    select d.id, concat_ws(', ', d.status, d.attempts || ' attempts',
      'the last got ' || (
        select coalesce(response_status::text, error) || ' ' || round(extract(epoch from now() - sent_real_at)) || ' s ago'
        from delivery_attempts a where a.delivery_id = d.id order by attempt desc limit 1),
      case when is_due then 'due' else 'not due' end,
      'next in ' || round(extract(epoch from next_attempt_real_at - now())) || ' s',
      'leased for ' || round(extract(epoch from leased_until_real_at - now())) || ' s',
      'its endpoint probed in ' || round(extract(epoch from e.probe_real_at - now())) || ' s',
      'its endpoint disabled ' || e.disabled_at,
      'set aside: ' || (select string_agg(reason, ', ') from quarantine where id in (d.id::text, d.client_id))) as state
    from deliveries d left join webhook_endpoints e using (client_id) where d.status <> 'delivered'`);
  return new Map(rows.map(({ id, state }) => [id, state]));
}

// Faults may only cause 503, and retries may only get 409.
function findWrongAnswers(operation: Operation): string[] {
  const allowed = operation.kind === "grant" ? [503] : [503, 409];
  return operation.attempts.flatMap(({ outcome, api }) => {
    if (outcome.kind === "none" || isSuccess(outcome)) return [];
    const { status, text, retryAfter } = outcome;
    if (!allowed.includes(status)) return [`${api} answered a ${operation.kind} with ${status}: ${text}`];
    return status === 503 && !retryAfter ? [`${api} answered a ${operation.kind} with 503 but no retry-after.`] : [];
  });
}

function statusesOf(attempts: Attempt[]): string {
  return attempts.map(({ outcome }) => (outcome.kind === "none" ? "nothing" : outcome.status)).join(", ");
}

function hexHash(secret: string): string {
  return sha256(secret).toString("hex");
}

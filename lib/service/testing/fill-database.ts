import type pg from "pg";
import { servicePool } from "../storage/database.ts";
import { createNextMonth, monthlyTables } from "../storage/sweep.ts";

/** A client with a failing endpoint and thirty thousand parked webhooks. */
export const deadClientId = "filler-7";
/** A client with ten thousand due webhooks. */
export const burstingClientId = "filler-8";

const setting = "TEST_STATISTICS_OF";

/** Gives databases filled from now on statistics from a time when nothing was pending, which is common. */
export function fillAfterStatistics(): void {
  process.env[setting] = "nothing waiting";
}

/** The owner of most rows of a filled database. */
export type Filling = { clientId: string; businessUserId: string; operatingId: string };

/**
 * Fills the database as a busy client would: over half a million rows, most of them finished and some still due. Then runs
 * ANALYZE, so that plans are realistic.
 */
export async function fillDatabase({ clientId, businessUserId, operatingId }: Filling): Promise<void> {
  for (const table of monthlyTables) while (await createNextMonth(table));
  const client = await servicePool().connect();
  try {
    // Without foreign key checks and triggers, which take most of the time.
    await client.query("set session_replication_role = replica");
    await client.query("set client_min_messages = warning; set auto_explain.log_min_duration = -1");
    await client.query(`create temporary table filled as select
      '${clientId}'::text as client_id, '${businessUserId}'::uuid as business_id, '${operatingId}'::uuid as operating_id`);
    for (const statement of finishedWork) await client.query(statement);
    const isBehind = process.env[setting] !== undefined;
    if (isBehind) {
      await client.query("vacuum analyze");
      for (const table of await tablesThatHold(client)) {
        await client.query(`alter table ${table} set (autovacuum_enabled = off)`);
      }
    }
    for (const statement of pendingWork) await client.query(statement);
    if (!isBehind) await client.query("vacuum analyze");
    await client.query("reset session_replication_role");
    await client.query("reset client_min_messages");
  } finally {
    client.release(true);
  }
}

// Ids in numeric order, as the service's own ids are in time order.
const id = (kind: number, number: string) =>
  `('0190000${kind}-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const long = "now() - interval '20 days'";
// In three monthly partitions.
const spreadId = (kind: number) => `(
  left(first_id_at(now() + i % 3 * interval '1 month')::text, 14) || '700${kind}-8000-' || lpad(to_hex(i), 12, '0'))::uuid`;

const finishedWork = [
  `insert into clients (id, name, secret_hash, redirect_uris, provider, business_profile_id)
   select 'filler-' || i, 'Filler', '', '{}', 'partner', gen_random_uuid() from generate_series(1, 20000) i`,
  `insert into webhook_endpoints (client_id, url, secret_encrypted)
   select 'filler-' || i, 'http://127.0.0.1:9', '' from generate_series(1, 20000) i`,
  `update webhook_endpoints set url = 'http://127.0.0.1:9' where client_id = (select client_id from filled)`,
  `insert into users (id, client_id, user_type, status, first_name, last_name, email, phone, created_at, updated_at)
   select ${id(1, "i")}, client_id, 'personal', 'approved', 'F', 'L', 'f@example.com', '+1999' || lpad(i::text, 7, '0'),
     ${long}, ${long} from filled, generate_series(1, 20000) i`,
  `insert into accounts (id, client_id, user_id, name, type, mask, created_at)
   select ${id(2, "i")}, client_id, ${id(1, "i")}, 'Wallet', 'wallet', '1000', ${long} from filled, generate_series(1, 20000) i`,
  `insert into user_intents (id, client_id, status, first_name, last_name, email, phone, identity_encrypted, user_id,
     trace_id, created_at, updated_at)
   select ${id(3, "i")}, client_id, 'converted_to_user', 'F', 'L', 'f@example.com', '+1999' || lpad(i::text, 7, '0'), '',
     ${id(1, "i")}, '', ${long}, ${long} from filled, generate_series(1, 20000) i`,
  `insert into routines (id, client_id, user_id, name, status, trace_id, created_at, updated_at)
   select ${id(4, "i")}, client_id, business_id, 'Payout', 'completed', '', ${long}, ${long}
   from filled, generate_series(1, 60000) i`,
  // To five receivers. The hundred oldest failed.
  `insert into transfers (id, routine_id, client_id, user_id, source_id, destination_id, amount_cents, status,
     failure_reason, created_at, updated_at)
   select ${id(5, "i")}, ${id(4, "i")}, client_id, business_id, operating_id, ${id(2, "1 + i % 5")}, 100,
     case when i <= 100 then 'failed' else 'processed' end, case when i <= 100 then 'account_closed' end, ${long}, ${long}
   from filled, generate_series(1, 58000) i`,
  `insert into entries (posting_id, account_id, transfer_id, amount_cents, created_at)
   select ${id(5, "i")}, side.account_id, ${id(5, "i")}, side.cents, ${long}
   from filled, generate_series(101, 58000) i,
     lateral (values (operating_id, -100), (${id(2, "1 + i % 5")}, 100)) side (account_id, cents)`,
  `insert into settlement_orders (transfer_id, client_id, state, ordered_real_at)
   select ${id(5, "i")}, client_id, case when i <= 100 then 'failed' else 'settled' end, ${long}
   from filled, generate_series(1, 58000) i`,
  `insert into authorizations (id, client_id, user_id, created_at)
   select ${id(6, "i")}, client_id, ${id(1, "i")}, ${long} from filled, generate_series(1, 20000) i`,
  // All from one authorization, refreshed forty thousand times.
  `insert into access_tokens (token_hash, authorization_id, client_id, user_id, expires_at, superseded_at, created_at)
   select sha256(('access ' || i)::bytea), ${id(6, "1")}, client_id, ${id(1, "1")}, now() + interval '1 hour', now(), now()
   from filled, generate_series(1, 40000) i`,
  `insert into refresh_tokens (token_hash, authorization_id, client_id, user_id, expires_at, created_at)
   select sha256(('refresh ' || i)::bytea), ${id(6, "1")}, client_id, ${id(1, "1")}, now() + interval '9 days', now()
   from filled, generate_series(1, 40000) i`,
  `insert into authorization_codes (code_hash, authorization_id, client_id, user_id, redirect_uri, expires_at,
     redeemed_at, trace_id, created_at)
   select sha256(('code ' || i)::bytea), ${id(6, "i")}, client_id, ${id(1, "i")}, '', now(), now(), '', now()
   from filled, generate_series(1, 20000) i`,
  `insert into identity_verification_tokens (token_hash, client_id, user_id, customer_id, last_authentication_at,
     expires_at, spent_at, trace_id, created_at)
   select sha256(('session ' || i)::bytea), client_id, ${id(1, "i")}, '', now(), ${long}, now(), '', ${long}
   from filled, generate_series(1, 20000) i`,
  `insert into visits (id, client_id, secret_hash, user_id, redirect_uri, step, expires_at, finished_at, trace_id, created_at)
   select ${id(7, "i")}, client_id, '', ${id(1, "i")}, '', 'finished', ${long}, ${long}, '', ${long}
   from filled, generate_series(1, 20000) i`,
  `insert into messages (id, client_id, phone, text_encrypted, outcome, ends_real_at, sent_at)
   select ${id(8, "i")}, client_id, '+1999' || lpad(i::text, 7, '0'), '', 'sent', ${long}, ${long} from filled, generate_series(1, 20000) i`,
  `insert into idempotency_keys (client_id, user_scope, operation, key, fingerprint, resource_id)
   select client_id, '', 'createBookRoutine', ${id(9, "i")}, '', ${id(4, "i")} from filled, generate_series(1, 20000) i`,
  `insert into deliveries (id, client_id, webhook_type, resource_id, body, status, attempts, trace_id, created_at)
   select ${id(9, "i")}, client_id, 'user_updated', ${id(1, "1")}, '{}', 'delivered', 1, '', ${long}
   from filled, generate_series(1, 40000) i`,
  // Twenty thousand of the client's, five hundred for each of forty visits, and as many of all other clients.
  `insert into sandbox_events (client_id, kind, event, joins)
   select client_id, (array['call', 'delivery'])[1 + i % 2], '{}', array['trace:' || i, 'visit:' || i % 40]
   from filled, generate_series(1, 20000) i`,
  `insert into sandbox_events (client_id, kind, event, joins)
   select 'filler-' || i, 'call', '{}', array['trace:' || i] from generate_series(1, 20000) i`,
  `insert into delivery_attempts (delivery_id, attempt, sent_real_at, duration_ms, response_status)
   select ${id(9, "i")}, 1, now(), 1, 200 from generate_series(1, 60000) i`,
];

const pendingWork = [
  `insert into screenings (user_intent_id, client_id, due_real_at)
   select ${id(3, "i")}, client_id, now() + interval '1 hour' from filled, generate_series(1, 20000) i`,
  // Two thousand are due in the future.
  `insert into transfers (id, routine_id, client_id, user_id, source_id, destination_id, amount_cents, status, due_real_at,
     created_at, updated_at)
   select ${id(5, "i")}, ${id(4, "i")}, client_id, business_id, operating_id, ${id(2, "1 + i % 5")}, 100, 'pending',
     now() + interval '1 day', ${long}, ${long}
   from filled, generate_series(58001, 60000) i`,
  `insert into holds (transfer_id, account_id, amount_cents)
   select ${id(5, "i")}, operating_id, 100 from filled, generate_series(58001, 60000) i`,
  `insert into settlement_orders (transfer_id, client_id, due_real_at, ordered_real_at)
   select ${id(5, "i")}, client_id, now() + interval '1 hour', ${long} from filled, generate_series(58001, 60000) i`,
  `update webhook_endpoints set failures = 20, failed_deliveries = 20, failing_since = now(), failing_since_real_at = now(),
     probe_real_at = now(), has_waiting = true where client_id = '${deadClientId}'`,
  `insert into deliveries (id, client_id, webhook_type, resource_id, body, status, trace_id, created_at)
   select ${spreadId(1)}, '${deadClientId}', 'user_updated', ${id(1, "1")}, '{}', 'pending', '', ${long}
   from generate_series(1, 30000) i`,
  `insert into deliveries (id, client_id, webhook_type, resource_id, body, status, next_attempt_real_at, is_due, trace_id,
     created_at)
   select ${spreadId(2)}, '${burstingClientId}', 'user_updated', ${id(1, "1")}, '{}', 'pending', now(), true, '', ${long}
   from generate_series(1, 10000) i`,
  // Every client has one to retry later.
  `insert into deliveries (id, client_id, webhook_type, resource_id, body, status, attempts, next_attempt_real_at, trace_id,
     created_at)
   select ${spreadId(3)}, 'filler-' || i, 'user_updated', ${id(1, "1")}, '{}', 'pending', 1, now() + interval '1 hour', '',
     ${long} from generate_series(1, 20000) i`,
  // Twenty thousand of the client's webhooks failed and wait for their next attempt.
  `insert into deliveries (id, client_id, webhook_type, resource_id, body, status, attempts, next_attempt_real_at, trace_id,
     created_at)
   select ${id(9, "i")}, client_id, 'user_updated', ${id(1, "1")}, '{}', 'pending', 1, now() + interval '1 day', '', ${long}
   from filled, generate_series(40001, 60000) i`,
];

/** The tables, or partitions, with pending rows. */
async function tablesThatHold(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c left join pg_inherits on inhrelid = c.oid
     where c.relkind = 'r' and coalesce(inhparent, c.oid)::regclass::text in ('deliveries', 'transfers', 'settlement_orders', 'screenings', 'holds')`,
  );
  return rows.map(({ name }) => name);
}

-- Grants for Harbor's processes outside a sandbox, as a role that owns nothing. The owner applies them after each migration,
-- in one transaction:
--   psql "$OWNER_URL" -v ON_ERROR_STOP=1 -v role=harbor -f deploy/harbor-grants.sql

begin;

revoke all on all tables in schema public from :"role";
revoke create on schema public from public;
grant usage on schema public, drizzle to :"role";
grant select on drizzle.__drizzle_migrations to :"role";
grant usage on sequence record_reads to :"role";

-- Only a sandbox moves the clock.
grant select on clock to :"role";
grant select, insert, update on people, routine_comparison, service_users to :"role";
-- Only a sandbox writes these; every mode sweeps them.
grant select, delete on inspector_entries to :"role";
grant select, insert, update, delete on
  attempts, batch_payments, messages, onboardings, payment_batches, routine_events, routines, sessions, sign_in_challenges, token_pairs, webhook_receipts
to :"role";

commit;

-- Grants for Plainbook's processes and operators' commands in production, as a role that owns nothing. The owner applies
-- them after each migration, in one transaction:
--   psql "$OWNER_URL" -v ON_ERROR_STOP=1 -v role=plainbook -f deploy/service-grants.sql
-- and once for each further cell, with -v schema=cell_2 and so on.
-- Functions that run as the owner create and drop months. The sandbox's tables get no grants.

\if :{?schema}
\else
\set schema public
\endif

begin;
set local search_path to :"schema";

revoke all on all tables in schema :"schema" from :"role";
revoke create on schema :"schema" from public;
grant usage on schema :"schema", public, drizzle to :"role";
grant select on all tables in schema drizzle to :"role";

-- The directory of clients and cells; only the first cell's copy is used.
grant select, insert on client_cells to :"role";
grant select on cell_nodes to :"role";

-- History: never changed or deleted.
grant select, insert on entries, operator_changes to :"role";

-- Records: never deleted.
grant select, insert, update on
  accounts, authorizations, clients, encryption_keys, identity_submissions, routines, settlement_orders, transfers,
  user_intents, users, webhook_endpoints
to :"role";

-- Work and secrets: deleted once done or expired.
grant select, insert, update, delete on
  access_tokens, authorization_codes, deliveries, holds, identity_verification_tokens, messages, photo_deletions, quarantine,
  reconciliations, refresh_tokens, screenings, sleeping_workers, visits
to :"role";
grant select, insert, delete on delivery_attempts, failed_verifications, idempotency_keys, unknown_settlement_results
to :"role";

-- Locking a row requires the right to update one of its columns. Triggers reject updates of changes.
grant update (id) on operator_changes to :"role";
grant update (delivery_id) on delivery_attempts to :"role";

revoke execute on function
  divide_by_month(regclass, timestamptz), drop_month_of_deliveries(timestamptz), keep_statistics_off(regclass)
from public;
grant execute on function
  divide_by_month(regclass, timestamptz), drop_month_of_deliveries(timestamptz), keep_statistics_off(regclass)
to :"role";

commit;

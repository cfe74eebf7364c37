#!/bin/sh
# The PostgreSQL image runs this once, on an empty volume. The limits are those that a pooled process requires
# (docs/operations.md#pgbouncer).
set -eu
psql -q -v ON_ERROR_STOP=1 -U postgres -v plainbook="$PLAINBOOK_DATABASE_PASSWORD" -v harbor="$HARBOR_DATABASE_PASSWORD" <<'SQL'
create role plainbook login password :'plainbook';
create role harbor login password :'harbor';
grant pg_monitor to plainbook, harbor;
create database gangway_service owner plainbook;
create database gangway_partner owner harbor;
revoke connect on database gangway_service, gangway_partner from public;
alter role plainbook set lock_timeout = 5000;
alter role plainbook set statement_timeout = 15000;
alter role plainbook set idle_in_transaction_session_timeout = 4000;
alter role harbor set lock_timeout = 5000;
alter role harbor set statement_timeout = 15000;
alter role harbor set idle_in_transaction_session_timeout = 4000;
SQL

-- A ledger after the published design of pgledger (github.com/pgr0ss/pgledger): accounts with a balance and a version,
-- transfers, two entries each with the balance before and after, all by one function that locks in the order of the ids.
-- Cheaper than the original in two ways: ids are uuids and not text, and there are no currencies.

create table ledger_accounts (
  id uuid primary key default uuidv7(),
  balance numeric not null default 0,
  version bigint not null default 0,
  allow_negative_balance boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table ledger_transfers (
  id uuid primary key default uuidv7(),
  from_account_id uuid not null references ledger_accounts (id),
  to_account_id uuid not null references ledger_accounts (id),
  amount numeric not null,
  created_at timestamptz not null,
  event_at timestamptz not null,
  metadata jsonb,
  check (amount > 0 and from_account_id <> to_account_id)
);
create index on ledger_transfers (from_account_id);
create index on ledger_transfers (to_account_id);
create index on ledger_transfers (event_at);

create table ledger_entries (
  id uuid primary key default uuidv7(),
  account_id uuid not null references ledger_accounts (id),
  transfer_id uuid not null references ledger_transfers (id),
  amount numeric not null,
  account_previous_balance numeric not null,
  account_current_balance numeric not null,
  account_version bigint not null,
  created_at timestamptz not null
);
create index on ledger_entries (account_id);
create index on ledger_entries (transfer_id);

-- What a caller of such a ledger keeps beside it, so that a repetition moves nothing.
create table idempotency_keys (
  key uuid primary key,
  transfer_id uuid,
  created_at timestamptz not null default now()
);

create type transfer_request as (from_account_id uuid, to_account_id uuid, amount numeric);

create function ledger_create_transfers(requests transfer_request[]) returns uuid[] as $$
declare
  request transfer_request;
  one uuid;
  transfer_ids uuid[] := '{}';
  new_transfer_id uuid;
  source ledger_accounts;
  destination ledger_accounts;
begin
  for one in
    select distinct account from unnest(requests) r, lateral (values (r.from_account_id), (r.to_account_id)) a (account)
    order by account
  loop
    perform id from ledger_accounts where id = one for update;
  end loop;

  foreach request in array requests loop
    update ledger_accounts set balance = balance - request.amount, version = version + 1, updated_at = now()
    where id = request.from_account_id returning * into source;
    if not source.allow_negative_balance and source.balance < 0 then
      raise exception 'Account % does not allow a negative balance', source.id;
    end if;

    update ledger_accounts set balance = balance + request.amount, version = version + 1, updated_at = now()
    where id = request.to_account_id returning * into destination;

    insert into ledger_transfers (from_account_id, to_account_id, amount, created_at, event_at)
    values (request.from_account_id, request.to_account_id, request.amount, now(), now())
    returning id into new_transfer_id;
    transfer_ids := array_append(transfer_ids, new_transfer_id);

    insert into ledger_entries (account_id, transfer_id, amount, account_previous_balance, account_current_balance,
      account_version, created_at)
    values
      (source.id, new_transfer_id, -request.amount, source.balance + request.amount, source.balance, source.version, now()),
      (destination.id, new_transfer_id, request.amount, destination.balance - request.amount, destination.balance,
        destination.version, now());
  end loop;
  return transfer_ids;
end
$$ language plpgsql;

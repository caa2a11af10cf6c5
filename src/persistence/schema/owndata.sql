-- Own data that accounts asked for: the last time each did, until that is over.
create table own_data_exports (
  account_id text primary key references accounts (id) on delete cascade,
  requested_at timestamptz not null,
  -- The session that asked for it, which may have proven by the password that it is its owner's.
  session_hash bytea not null,
  -- How often it was asked for on the day of the request, in UTC.
  asked integer not null check (asked >= 1),
  -- When somebody is to make it, unless whoever does so now is done before; null once it is made or given up.
  next_at timestamptz,
  tries integer not null default 0,
  -- Raised by each who makes it: only the last of them says how far it is.
  turn integer not null default 0,
  -- The archive, once it is made.
  key text,
  store text check (store in ('disk', 's3')),
  size bigint check (size > 0),
  made_at timestamptz,
  -- When nothing of it is kept any more.
  expires_at timestamptz,
  check (num_nulls(key, store, size, made_at) in (0, 4)),
  check (next_at is null or key is null),
  check ((next_at is null) = (expires_at is not null))
);

create index own_data_exports_next_at on own_data_exports (next_at, account_id) where next_at is not null;
create index own_data_exports_expires_at on own_data_exports (expires_at) where expires_at is not null;

-- The bytes of an archive that nothing names any more are removed, whoever makes it so.
create function abandon_own_data() returns trigger language plpgsql as $$
begin
  insert into asset_uploads (id, store, started_at) values (old.key, old.store, old.made_at)
    on conflict do nothing;
  return null;
end $$;
create trigger own_data_exports_replaced after update of key on own_data_exports for each row
  when (old.key is not null and new.key is distinct from old.key) execute function abandon_own_data();
create trigger own_data_exports_deleted after delete on own_data_exports for each row
  when (old.key is not null) execute function abandon_own_data();

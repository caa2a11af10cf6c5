-- The secret address of the calendar of an account, of which it has one.
create table calendar_addresses (
  account_id text primary key references accounts (id) on delete cascade,
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  created_at timestamptz not null
);

create table access_keys (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  -- Of the account's places for keys, which limit their number.
  place smallint not null check (place between 1 and 50),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  name text not null check (char_length(name) between 1 and 100),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint access_keys_places unique (account_id, place)
);

create index access_keys_of_account on access_keys (account_id, id);

create trigger access_keys_auth_services_insert after insert on access_keys
  referencing new table as changed
  for each statement execute function note_auth_services();
create trigger access_keys_auth_services_update after update on access_keys
  referencing new table as changed
  for each statement execute function note_auth_services();
create trigger access_keys_auth_services_delete after delete on access_keys
  referencing old table as changed
  for each statement execute function note_auth_services();

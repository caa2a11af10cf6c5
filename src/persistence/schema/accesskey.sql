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

create trigger access_keys_ways_to_sign_in after insert or delete or update of revoked_at on access_keys
  for each row execute function note_ways_to_sign_in();

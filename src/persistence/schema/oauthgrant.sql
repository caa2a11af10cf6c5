-- What an account has granted a client, or what a client may do for its owner by itself. All tokens of it end together.
create table oauth_grants (
  id text primary key,
  client_id text not null references oauth_clients (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('consent', 'own')),
  created_at timestamptz not null,
  ended_at timestamptz
);

create index oauth_grants_of_account on oauth_grants (account_id, client_id, id);
create index oauth_grants_of_client on oauth_grants (client_id);
create unique index oauth_grants_own on oauth_grants (client_id, account_id) where kind = 'own' and ended_at is null;

-- The tokens of a grant that were issued together: an access token, and a refresh token if the grant has them.
create table oauth_tokens (
  id text primary key,
  grant_id text not null references oauth_grants (id) on delete cascade,
  -- The `jti` of the access token.
  access_id text not null constraint oauth_tokens_access_id_key unique check (access_id ~ '^[A-Za-z0-9_-]{16}$'),
  access_expires_at timestamptz not null,
  scope text not null check (octet_length(scope) <= 1024),
  created_at timestamptz not null,
  refresh_hash bytea constraint oauth_tokens_refresh_hash_key unique check (octet_length(refresh_hash) = 32),
  refresh_expires_at timestamptz,
  -- Which refresh token of the grant it is. Each is refreshed once, so that no number comes twice.
  number integer check (number > 0),
  used_at timestamptz,
  replaced_by text,
  constraint oauth_tokens_refresh check (
    (refresh_hash is null) = (refresh_expires_at is null) and (refresh_hash is null) = (number is null)
    and (used_at is null) = (replaced_by is null) and (used_at is null or refresh_hash is not null)),
  constraint oauth_tokens_numbers unique (grant_id, number)
);

-- Refresh tokens, in the order of lists.
create index oauth_tokens_listed on oauth_tokens (id desc) where refresh_hash is not null;
create index oauth_tokens_access_expires_at on oauth_tokens (access_expires_at) where refresh_hash is null;

-- For transactions that add grants of an account: they wait for each other.
create function lock_oauth_grants(account text) returns void language sql as $$
  select pg_advisory_xact_lock(731620054, hashtext(account))
$$;

create function end_oldest_oauth_grants() returns trigger language plpgsql as $$
begin
  perform lock_oauth_grants(new.account_id);
  update oauth_grants set ended_at = new.created_at where ended_at is null and id in (
    select id from oauth_grants where account_id = new.account_id and client_id = new.client_id and kind = 'consent'
      and ended_at is null and id <> new.id
      order by id desc offset tg_argv[0]::integer - 1);
  return null;
end $$;
create trigger oauth_grants_number after insert on oauth_grants
  for each row when (new.kind = 'consent') execute function end_oldest_oauth_grants('100');

-- Connections of this service to resources of others, by tokens of OAuth.
create table remote_connections (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  resource_url text not null check (octet_length(resource_url) between 1 and 1000),
  authorization_server text check (octet_length(authorization_server) between 1 and 1000),
  mode text not null check (mode in ('cimd', 'dcr', 'manual')),
  status text not null default 'pending' check (status in ('pending', 'connected', 'error')),
  last_error text check (char_length(last_error) between 1 and 200),
  resource text check (char_length(resource) between 1 and 1000),
  resource_name text check (char_length(resource_name) between 1 and 200),
  client_id text not null check (char_length(client_id) between 1 and 1000),
  authorization_endpoint text not null check (char_length(authorization_endpoint) between 1 and 1000),
  token_endpoint text not null check (char_length(token_endpoint) between 1 and 1000),
  registration_endpoint text check (char_length(registration_endpoint) between 1 and 1000),
  token_endpoint_auth_method text not null
    check (token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  redirect_uri text not null check (char_length(redirect_uri) between 1 and 1000),
  redirect_uris text[] not null check (
    cardinality(redirect_uris) between 1 and 10
    and char_length(array_to_string(redirect_uris, '')) <= 4000
    and array_position(redirect_uris, null) is null and array_position(redirect_uris, '') is null),
  scope text check (char_length(scope) between 1 and 2000),
  -- What answers of the server name it by (RFC 9207), and whether all of them do.
  issuer text check (char_length(issuer) between 1 and 1000),
  names_itself boolean not null,
  -- Secrets and tokens are encrypted by a key that is not in the database.
  client_secret bytea check (octet_length(client_secret) between 1 and 16384),
  access_token bytea check (octet_length(access_token) between 1 and 262144),
  refresh_token bytea check (octet_length(refresh_token) between 1 and 262144),
  token_type text check (token_type ~ '^[!-~]{1,100}$'),
  token_expiry timestamptz,
  -- Another one whenever the tokens have changed, or could not be.
  revision integer not null default 0,
  -- Who refreshes the tokens, and until when nobody else does. Nobody holds it where refreshing failed.
  lease_holder text check (char_length(lease_holder) = 43),
  lease_until timestamptz check (lease_until is not null or lease_holder is null),
  constraint remote_connections_identity unique nulls not distinct (account_id, resource_url, authorization_server),
  constraint remote_connections_secret check ((token_endpoint_auth_method = 'none') = (client_secret is null)),
  constraint remote_connections_connected check (status <> 'connected' or access_token is not null),
  constraint remote_connections_tokens check (
    (access_token is null) = (token_type is null)
    and (access_token is not null or (refresh_token is null and token_expiry is null)))
);

-- The list of all connections has no pages.
create function check_number_of_remote_connections() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(731620035, 0);
  if (select count(*) from remote_connections) >= tg_argv[0]::bigint then
    raise exception 'There are too many rows in %', tg_table_name
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return new;
end $$;
create trigger remote_connections_number before insert on remote_connections
  for each row execute function check_number_of_remote_connections('100');

-- Who was sent to the server of a connection, by the SHA-256 of the state. Used ones are kept for a while, to say so.
create table remote_authorizations (
  state_hash bytea primary key check (octet_length(state_hash) = 32),
  connection_id text not null references remote_connections (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  -- The secret of PKCE, encrypted as tokens are.
  verifier bytea not null check (octet_length(verifier) between 1 and 1024),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

create index remote_authorizations_of_connection on remote_authorizations (connection_id, created_at);
create index remote_authorizations_of_account on remote_authorizations (account_id);
create index remote_authorizations_expiry on remote_authorizations (expires_at);

-- Of those who begin again and again, the newest count.
create function forget_oldest_remote_authorizations() returns trigger language plpgsql as $$
begin
  delete from remote_authorizations where state_hash in (
    select state_hash from remote_authorizations
      where connection_id = new.connection_id and state_hash <> new.state_hash
      order by created_at desc, state_hash offset tg_argv[0]::integer - 1);
  return null;
end $$;
create trigger remote_authorizations_number after insert on remote_authorizations
  for each row execute function forget_oldest_remote_authorizations('20');

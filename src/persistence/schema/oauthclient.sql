create table oauth_clients (
  id text primary key,
  -- Whom it belongs to, and for whom it acts by itself. Nobody owns what is built in.
  account_id text references accounts (id) on delete cascade,
  -- Who made it. Each has limits of its own.
  origin text not null check (origin in ('built-in', 'administrator', 'registered', 'document')),
  -- The address of its document, where one describes it.
  client_id text not null check (
    client_id ~ '^[\x21-\x7e]+$' and char_length(client_id) <= case when origin = 'document' then 500 else 200 end),
  name text not null check (char_length(name) between 1 and 100),
  type text not null check (type in ('public', 'confidential')),
  scope_policy text not null check (scope_policy in ('explicit', 'inherit')),
  redirect_uris text[] not null check (
    cardinality(redirect_uris) <= 10 and octet_length(array_to_string(redirect_uris, '')) <= 4000
    and array_position(redirect_uris, null) is null and array_position(redirect_uris, '') is null),
  allowed_scopes text[] not null check (
    cardinality(allowed_scopes) <= 64 and octet_length(array_to_string(allowed_scopes, ' ')) <= 1024
    and array_position(allowed_scopes, null) is null),
  allowed_grants text[] not null check (
    cardinality(allowed_grants) <= 4
    and allowed_grants <@ '{authorization_code,refresh_token,client_credentials,urn:ietf:params:oauth:grant-type:device_code}'),
  pkce_required boolean not null,
  -- Argon2id in PHC string format.
  secret_hash text check (
    secret_hash ~ '^\$argon2id\$v=19\$m=\d{1,5},t=\d{1,2},p=[1-4]\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{22,86}$'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint oauth_clients_client_id_key unique (client_id),
  constraint oauth_clients_secret check ((type = 'confidential') = (secret_hash is not null)),
  constraint oauth_clients_owner check ((origin = 'administrator') = (account_id is not null))
);

create index oauth_clients_of_account on oauth_clients (account_id, id) where account_id is not null;

-- The oldest of those that registered by themselves are deleted if nobody uses them.
create index oauth_clients_registered on oauth_clients (created_at, id) where origin = 'registered';

create trigger oauth_clients_number before insert on oauth_clients
  for each row when (new.origin in ('administrator', 'document')) execute function check_number_of_rows('origin', '500');
create trigger oauth_clients_number_of_account before insert on oauth_clients
  for each row execute function check_number_of_rows('account_id', '50');

-- The clients of the command line.
insert into oauth_clients (id, origin, client_id, name, type, scope_policy, redirect_uris, allowed_scopes,
    allowed_grants, pkce_required, created_at, updated_at)
  select id, 'built-in', client_id, 'Command line', 'public', 'inherit', '{}',
    '{openid,profile,email,offline_access,CREATE_POST,READ_PUBLISHED_THREADS,CREATE_REACTION,MANAGE_POSTS,MANAGE_CATEGORIES,CREATE_INVITATION,READ_PUBLISHED_LIBRARY,MANAGE_LIBRARY,SUBMIT_LIBRARY_NODE,SUBMIT_LIBRARY_NODE_CHANGES,UPLOAD_ASSET,MANAGE_EVENTS,LIST_PROFILES,READ_PROFILE,CREATE_COLLECTION,LIST_COLLECTIONS,READ_COLLECTION,MANAGE_COLLECTIONS,COLLECTION_SUBMIT,USE_PERSONAL_ACCESS_KEYS,USE_OAUTH_CLIENTS,MANAGE_SETTINGS,MANAGE_ACCOUNTS,MANAGE_WARNINGS,MANAGE_SUSPENSIONS,MANAGE_ROLES,MANAGE_REPORTS,VIEW_ACCOUNTS,VIEW_MODERATION_NOTES,MANAGE_MODERATION_NOTES,USE_ROBOTS,MANAGE_ROBOTS,MANAGE_TRAILS,ADMINISTRATOR}',
    '{urn:ietf:params:oauth:grant-type:device_code,refresh_token}', true, '1970-01-01Z', '1970-01-01Z'
  from (values ('000000000000000000c0', 'storyden-cli'), ('000000000000000000cg', 'forum-cli')) built_in (id, client_id);

-- Held by what creates tokens: how many there may be depends on what others create.
create function lock_initial_access_tokens() returns void language sql volatile as $$
  select pg_advisory_xact_lock(731620061, 0)
$$;

-- Tokens with which programs register clients. They give nothing else.
create table initial_access_tokens (
  id text primary key,
  -- Of the places of the instance for tokens, which limit their number.
  place smallint not null check (place between 1 and 200),
  token_hash bytea not null check (octet_length(token_hash) = 32),
  name text check (char_length(name) between 1 and 100),
  created_by text not null references accounts (id) on delete cascade,
  max_registrations integer not null check (max_registrations between 1 and 1000),
  registrations_used integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint initial_access_tokens_places unique (place),
  constraint initial_access_tokens_token_hash_key unique (token_hash),
  constraint initial_access_tokens_used check (registrations_used between 0 and max_registrations),
  constraint initial_access_tokens_expire check (
    expires_at > created_at and expires_at <= created_at + interval '365 days')
);

create index initial_access_tokens_created_by on initial_access_tokens (created_by);

-- Held by what registers clients, or stores what documents say: how many there may be depends on what others do.
create function lock_oauth_registrations() returns void language sql volatile as $$
  select pg_advisory_xact_lock(731620062, 0)
$$;

-- What programs said of themselves that registered as clients, and the tokens with which they change it.
create table oauth_registrations (
  id text primary key references oauth_clients (id) on delete cascade,
  -- What let it register: a token of an administrator, or that the instance is open to all.
  let_by text not null check (let_by in ('token', 'openness')),
  token_hash bytea not null check (octet_length(token_hash) = 32),
  token_endpoint_auth_method text not null
    check (token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  details jsonb not null check (jsonb_typeof(details) = 'object' and octet_length(details::text) <= 12000),
  constraint oauth_registrations_token_hash_key unique (token_hash)
);

create trigger oauth_registrations_number_by_token before insert on oauth_registrations
  for each row when (new.let_by = 'token') execute function check_number_of_rows('let_by', '1000');
create trigger oauth_registrations_number_by_openness before insert on oauth_registrations
  for each row when (new.let_by = 'openness') execute function check_number_of_rows('let_by', '500');

-- When each of the clients was registered that count for the limit of a network.
create table oauth_registration_counts (
  network text primary key,
  registered timestamptz[] not null,
  last_registered_at timestamptz not null,
  constraint oauth_registration_counts_number check (cardinality(registered) <= 20)
);

create index oauth_registration_counts_last on oauth_registration_counts (last_registered_at);

-- When the documents were fetched last that describe clients.
create table oauth_documents (
  id text primary key references oauth_clients (id) on delete cascade,
  fetched_at timestamptz not null
);

create index oauth_documents_fetched_at on oauth_documents (fetched_at, id);

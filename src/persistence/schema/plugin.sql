-- Programs that extend the service: those that it runs itself, from an archive, and those that connect from elsewhere.
create table plugins (
  id text primary key,
  added_at timestamptz not null,
  mode text not null check (mode in ('supervised', 'external')),
  manifest jsonb not null check (jsonb_typeof(manifest) = 'object' and octet_length(manifest::text) <= 1048576),
  -- What a list of all plugins needs to know of manifests, which are large: how long one is, what has to be in it, and
  -- the names of the rest.
  manifest_bytes integer not null generated always as (octet_length(manifest::text)) stored,
  manifest_least jsonb not null generated always as (
    manifest - '{args,events_consumed,access,configuration_schema,capabilities}'::text[]) stored,
  manifest_more jsonb not null generated always as (jsonb_path_query_array(
    manifest - '{id,name,author,description,version,command}'::text[], '$.keyvalue().key')) stored,
  configuration jsonb not null default '{}'
    check (jsonb_typeof(configuration) = 'object' and octet_length(configuration::text) <= 131072),
  -- Whether an administrator wants it to run, or lets it connect.
  wanted boolean not null,
  -- Another one whenever whoever runs it has to look: it is wanted or not, or has another manifest, token or package.
  revision integer not null default 0,
  -- What became of it, as the instance says that runs it.
  state text not null check (state in ('inactive', 'starting', 'connecting', 'active', 'restarting', 'error')),
  state_at timestamptz not null,
  state_message text check (char_length(state_message) between 1 and 2000),
  state_details jsonb check (jsonb_typeof(state_details) = 'object' and octet_length(state_details::text) <= 16384),
  -- The token of an external one, encrypted by a key that is not in the database, and its SHA-256.
  token bytea check (octet_length(token) between 1 and 1024),
  token_hash bytea unique check (octet_length(token_hash) = 32),
  -- Where the archive of a supervised one is, its size in bytes and its SHA-256.
  package_store text check (package_store in ('disk', 's3')),
  package_key text unique check (package_key ~ '^[a-z0-9-]{1,100}$'),
  package_size integer check (package_size between 1 and 52428800),
  package_hash bytea check (octet_length(package_hash) = 32),
  -- The SHA-256 of the secret with which the process of a supervised one connects, once.
  entry_hash bytea check (octet_length(entry_hash) = 32),
  -- The instance that runs it or has its connection, and until when no other one does.
  lease_holder text check (char_length(lease_holder) = 43),
  lease_until timestamptz,
  -- The bot that it acts as, and the role of that, once it has asked for them.
  account_id text unique references accounts (id) on delete set null,
  role_id text unique references roles (id) on delete set null,
  constraint plugins_modes check (
    case mode
      when 'external' then num_nonnulls(token, token_hash) = 2
        and num_nonnulls(package_store, package_key, package_size, package_hash, entry_hash) = 0 and wanted
      else num_nonnulls(token, token_hash) = 0
        and num_nonnulls(package_store, package_key, package_size, package_hash) = 4
    end),
  constraint plugins_lease check ((lease_holder is null) = (lease_until is null)),
  constraint plugins_failed check ((state in ('restarting', 'error')) = (state_message is not null)
    and (state_message is null) = (state_details is null))
);

-- Configurations that were chosen at an instance to which their plugins are not connected, for the instance that has
-- the connection. Of one plugin there is one at a time, as long as somebody waits for its answer.
create table asked_configurations (
  plugin_id text primary key references plugins (id) on delete cascade,
  id text not null unique,
  asked_by text not null references accounts (id) on delete cascade,
  configuration jsonb not null
    check (jsonb_typeof(configuration) = 'object' and octet_length(configuration::text) <= 131072),
  -- Until when it is waited for the answer, at most.
  until timestamptz not null,
  -- The instance that asks the plugin.
  taken_by text check (char_length(taken_by) = 43),
  answer jsonb check (jsonb_typeof(answer) = 'object' and octet_length(answer::text) <= 16384)
);

create index asked_configurations_asked_by on asked_configurations (asked_by);

-- The list of all plugins has no pages.
create trigger plugins_number before insert on plugins
  for each row execute function check_number_of_rows('mode', '50');

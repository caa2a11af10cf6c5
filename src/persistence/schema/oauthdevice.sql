-- Devices that wait until somebody decides about them, or that got an answer. They are forgotten when their codes expire.
create table oauth_devices (
  id text primary key,
  client_id text not null references oauth_clients (id) on delete cascade,
  -- The SHA-256 of the code by which the device asks.
  device_hash bytea not null constraint oauth_devices_device_hash_key unique check (octet_length(device_hash) = 32),
  -- What people type, without its hyphen.
  user_code text not null constraint oauth_devices_user_code_key unique
    check (user_code ~ '^[0-9A-HJKMNP-TV-Z]{8}$'),
  -- What the device asks for, or what was granted.
  scope text not null check (octet_length(scope) <= 1024),
  -- Where the device began.
  network text not null check (octet_length(network) <= 64),
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  poll_seconds integer not null check (poll_seconds between 1 and 3600),
  last_polled_at timestamptz,
  -- The account that has seen the code first, which alone decides.
  claimed_by text references accounts (id) on delete cascade,
  approved_at timestamptz,
  denied_at timestamptz,
  consumed_at timestamptz,
  constraint oauth_devices_decision check (
    num_nonnulls(approved_at, denied_at) <= 1
    and (claimed_by is not null or num_nonnulls(approved_at, denied_at) = 0)
    and (approved_at is not null or consumed_at is null))
);

create index oauth_devices_of_client on oauth_devices (client_id);
create index oauth_devices_of_account on oauth_devices (claimed_by) where claimed_by is not null;
create index oauth_devices_of_network on oauth_devices (network, expires_at);
create index oauth_devices_expires_at on oauth_devices (expires_at);

-- Holds how many devices wait, of one network and of all: (of one, of all). Those who add some wait for each other.
create function check_number_of_devices() returns trigger language plpgsql as $$
declare
  of_network bigint;
  of_all bigint;
  broken text;
begin
  perform pg_advisory_xact_lock(731620055, 0);
  select count(*) into of_network from oauth_devices where network = new.network and expires_at > new.created_at;
  select count(*) into of_all from oauth_devices where expires_at > new.created_at;
  broken := case
    when of_network >= tg_argv[0]::bigint then 'oauth_devices_number_of_network'
    when of_all >= tg_argv[1]::bigint then 'oauth_devices_number' end;
  if broken is not null then
    raise exception 'There are too many devices that wait'
      using errcode = 'check_violation', constraint = broken, table = tg_table_name;
  end if;
  return new;
end $$;
create trigger oauth_devices_number before insert on oauth_devices
  for each row execute function check_number_of_devices('100', '5000');

-- Wrong codes that people have typed since a moment, for each account and each network.
create table oauth_device_guesses (
  name text primary key check (name ~ '^(account|network) ' and octet_length(name) <= 100),
  count integer not null,
  since timestamptz not null,
  constraint oauth_device_guesses_count check (count between 0 and case when name ^@ 'account ' then 20 else 100 end)
);

create index oauth_device_guesses_since on oauth_device_guesses (since);

-- A row for each part of the settings, with what differs from the defaults.
create table settings (
  part text primary key constraint settings_part
    check (part in ('general', 'moderation', 'rate_limiting', 'client_ip')),
  value jsonb not null default '{}' check (jsonb_typeof(value) = 'object'),
  updated_at timestamptz not null default 'epoch',
  version bigint not null default 0,
  check (part <> 'moderation' or (
    jsonb_array_length(coalesce(value -> 'word_block_list', '[]')) <= 1000
    and not jsonb_path_exists(value, '$.word_block_list[*] ? (@ like_regex "^.{101}" flag "s")')
    and jsonb_array_length(coalesce(value -> 'word_report_list', '[]')) <= 1000
    and not jsonb_path_exists(value, '$.word_report_list[*] ? (@ like_regex "^.{101}" flag "s")'))),
  constraint settings_bytes check (octet_length(value::text) <= 2 * 1024 * 1024),
  constraint settings_rate_limiting check (part <> 'rate_limiting' or (
    coalesce((value ->> 'rate_limit')::numeric > 0, true)
    and coalesce((value ->> 'rate_limit_period')::numeric > 0, true)
    and coalesce((value ->> 'rate_limit_bucket')::numeric > 0, true)
    and coalesce((value ->> 'rate_limit_guest_cost')::numeric > 0, true)
    and jsonb_array_length(
      jsonb_path_query_array(coalesce(value -> 'cost_overrides', '{}'), '$.keyvalue()')) <= 500
    and not jsonb_path_exists(value, '$.cost_overrides.* ? (@ < 0)')
    and jsonb_array_length(coalesce(value -> 'exempt_cidrs', '[]')) <= 256)),
  constraint settings_client_ip check (part <> 'client_ip' or (
    coalesce(value ->> 'client_ip_mode', 'remote_addr') in ('remote_addr', 'single_header', 'xff_trusted_proxies')
    and jsonb_array_length(coalesce(value -> 'trusted_proxy_cidrs', '[]')) <= 256))
);

insert into settings (part) values ('general'), ('moderation'), ('rate_limiting'), ('client_ip');

create trigger settings_version before update on settings
  for each row when (old.* is distinct from new.*) execute function bump_version();

-- How accounts sign in, for the one statement that reads the caller of a request: the settings themselves may
-- be large.
create table sign_in_mode (
  only_one boolean primary key default true check (only_one),
  by_email boolean not null
);

insert into sign_in_mode (by_email) values (false);

create function follow_sign_in_mode() returns trigger language plpgsql as $$
begin
  update sign_in_mode set by_email = coalesce(new.value ->> 'authentication_mode', '') = 'email'
    where by_email <> (coalesce(new.value ->> 'authentication_mode', '') = 'email');
  return null;
end $$;
create trigger settings_sign_in_mode after update of value on settings
  for each row when (new.part = 'general') execute function follow_sign_in_mode();

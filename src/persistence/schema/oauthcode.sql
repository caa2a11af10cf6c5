-- What people are asked to grant clients in a browser, and the codes of what they have granted.
create table oauth_authorisations (
  id text primary key,
  -- Of what the page names it by.
  request_hash bytea not null constraint oauth_authorisations_request_hash_key unique
    check (octet_length(request_hash) = 32),
  client_id text not null references oauth_clients (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  redirect_uri text not null check (char_length(redirect_uri) between 1 and 2000),
  scope text not null check (octet_length(scope) <= 1024),
  state text check (char_length(state) <= 2048),
  nonce text check (char_length(nonce) <= 512),
  code_challenge text not null check (code_challenge ~ '^[A-Za-z0-9._~-]{43,128}$'),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- Of an approval.
  code_hash bytea constraint oauth_authorisations_code_hash_key unique check (octet_length(code_hash) = 32),
  code_expires_at timestamptz,
  granted_scope text check (octet_length(granted_scope) <= 1024),
  -- What the code was exchanged for.
  grant_id text references oauth_grants (id) on delete set null,
  used_at timestamptz,
  constraint oauth_authorisations_code check (
    (code_hash is null) = (code_expires_at is null) and (code_hash is null) = (granted_scope is null)
    and (code_hash is null or decided_at is not null) and (used_at is null or code_hash is not null))
);

create index oauth_authorisations_of_client on oauth_authorisations (client_id);
create index oauth_authorisations_of_account on oauth_authorisations (account_id, id);
create index oauth_authorisations_of_grant on oauth_authorisations (grant_id);
create index oauth_authorisations_expires_at on oauth_authorisations (expires_at);

-- People who are asked again and again have forgotten the first questions.
create function forget_oldest_authorisations() returns trigger language plpgsql as $$
begin
  perform lock_oauth_grants(new.account_id);
  delete from oauth_authorisations where id in (
    select id from oauth_authorisations where account_id = new.account_id and decided_at is null and id <> new.id
      order by id desc offset tg_argv[0]::integer - 1);
  return null;
end $$;
create trigger oauth_authorisations_number after insert on oauth_authorisations
  for each row execute function forget_oldest_authorisations('50');

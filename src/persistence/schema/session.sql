create table sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  account_id text not null references accounts (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index sessions_account_id on sessions (account_id);
create index sessions_expires_at on sessions (expires_at);

-- For transactions that begin sessions of an account or end all of them: they wait for each other before they
-- touch any.
create function lock_sessions(account text) returns void language sql as $$
  select pg_advisory_xact_lock(731620053, hashtext(account))
$$;

-- The new one is never among those that end, even if the clock that it began by is behind.
create function end_oldest_sessions() returns trigger language plpgsql as $$
begin
  perform lock_sessions(new.account_id);
  delete from sessions where token_hash in (
    select token_hash from sessions where account_id = new.account_id and token_hash <> new.token_hash
      order by created_at desc, token_hash offset tg_argv[0]::integer - 1);
  return null;
end $$;
create trigger sessions_number after insert on sessions
  for each row execute function end_oldest_sessions('100');

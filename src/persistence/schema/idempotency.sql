-- What requests with an Idempotency-Key came to. Kept for a day, and told to the same account only.
create table idempotency_keys (
  account_id text not null references accounts (id) on delete cascade,
  key text collate "C" not null check (key ~ '^[!-~]{1,255}$'),
  -- The SHA-256 of the method, the address and the body.
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  -- Random, of the request that has the key: one that has lost it keeps nothing.
  claim bytea not null check (octet_length(claim) = 16),
  claimed_at timestamptz not null,
  -- The connection that the key was claimed on, and when by the clock of this server. It ends with its instance.
  backend integer not null,
  backend_at timestamptz not null,
  -- Absent as long as it is not known what the request comes to.
  answered_at timestamptz,
  status smallint check (status between 200 and 499),
  content_type text check (octet_length(content_type) <= 255),
  location text check (octet_length(location) <= 8192),
  etag text check (octet_length(etag) <= 255),
  -- Absent where the answer is withheld.
  body bytea check (octet_length(body) <= 262144),
  -- What was made, where the answer is withheld.
  made_id text check (octet_length(made_id) <= 255),
  primary key (account_id, key),
  constraint idempotency_keys_answer check ((answered_at is null) = (status is null)
    and (answered_at is not null or num_nonnulls(content_type, location, etag, body, made_id) = 0)
    and (body is null or made_id is null))
);

create index idempotency_keys_claimed_at on idempotency_keys (claimed_at);

-- How many keys of an account are kept of a day (UTC), the last on which it used any, and the bytes of its large answers.
create table idempotency_counts (
  account_id text primary key references accounts (id) on delete cascade,
  day date not null,
  kept integer not null,
  large_bytes integer not null default 0 check (large_bytes between 0 and 33554432),
  constraint idempotency_counts_kept check (kept between 0 and 10000)
);

create function count_idempotency_key() returns trigger language plpgsql as $$
begin
  insert into idempotency_counts as counts (account_id, day, kept)
    values (new.account_id, (new.claimed_at at time zone 'utc')::date, 1)
    on conflict (account_id) do update set
      kept = case when counts.day = excluded.day then counts.kept + 1 else 1 end,
      large_bytes = case when counts.day = excluded.day then counts.large_bytes else 0 end, day = excluded.day;
  return null;
end $$;

create trigger idempotency_keys_count after insert on idempotency_keys
  for each row execute function count_idempotency_key();
-- A key that had expired is a new one.
create trigger idempotency_keys_count_again after update of claimed_at on idempotency_keys
  for each row when (new.claimed_at >= old.claimed_at + interval '24 hours')
  execute function count_idempotency_key();

-- Accounts that are to be erased, until nothing is left of them. It outlives the account, so that what is written
-- while that is removed is found as well.
create table erasures (
  account_id text primary key,
  requested_at timestamptz not null,
  -- Until when it can be taken back.
  due_at timestamptz not null check (due_at >= requested_at),
  -- Whether what others can read stays, as of nobody.
  keep_posts boolean not null,
  -- From then on it cannot be taken back.
  begun_at timestamptz,
  -- When somebody is to go on with it, unless whoever does so now is done before.
  next_at timestamptz not null,
  -- Raised by each who goes on with it: only the last of them says how far it is.
  turn integer not null default 0
);

create index erasures_next_at on erasures (next_at, account_id);

-- Backups that were made of this database: what is erased is still in those that were made before.
create table backups_made (
  made_at timestamptz not null,
  -- Where it was then, on the machine that made it.
  file text not null,
  primary key (made_at, file)
);

-- What an event or an entry of the audit log says once an account is erased: its id is that of nobody, and what was
-- written about it is gone.
create function without_account(value jsonb, account text) returns jsonb language sql immutable as $$
  select replace((case when value ->> 'account_id' = account and value ? 'warning_id' and value ? 'reason'
      then value || '{"reason": "", "previous_reason": ""}' else value end)::text, account, nobody())::jsonb
$$;

-- A text in which links to the profile of an account are what they say.
create function without_links_to(content text, account text) returns text language sql immutable as $$
  select replace(regexp_replace(content,
    '<a [^>]*href="sdr:profile/' || account || '"[^>]*>((?:(?!</a>).)*)</a>', '\1', 'g'), account, nobody())
$$;

-- A text in which a handle that stands after a sign is another one.
create function with_other_handle(content text, handle text, other text) returns text language sql immutable as $$
  select regexp_replace(content, '@' || handle || '(?![[:alnum:]_-])', '@' || other, 'gi')
$$;

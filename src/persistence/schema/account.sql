create table accounts (
  id text primary key,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  suspended_at timestamptz,
  kind text not null default 'human' check (kind in ('human', 'bot')),
  admin boolean not null default false,
  handle text not null unique check (octet_length(handle) between 1 and 30),
  name text not null check (name <> ''),
  bio text not null default '<body></body>',
  signature text,
  links jsonb not null default '[]',
  meta jsonb not null default '{}',
  verified_status text not null default 'none' check (verified_status in ('none', 'verified_email', 'manual')),
  invited_by text references accounts (id) on delete set null,
  -- Handles that look alike have one key.
  handle_key text not null constraint accounts_handle_key_key unique,
  -- What people see of names and handles, in the form in which texts are compared.
  name_form text not null default '' check (char_length(name_form) <= 255),
  handle_form text not null default '' check (char_length(handle_form) <= 255),
  -- What is searched for has no line break.
  search_text text not null generated always as (name_form || e'\n' || handle_form) stored,
  -- About how many bytes of an answer the long parts of a profile take.
  profile_weight integer not null
    generated always as (octet_length(bio) + octet_length(links::text) + octet_length(meta::text)) stored,
  avatar_id text,
  -- Who was invited is known as long as the invitation is there.
  invitation_id text,
  -- How an account can sign in, a bit each: with a password, with codes, with access keys, with passkeys.
  auth_services smallint not null default 0,
  -- What lists are narrowed by, a bit each: suspended, administrator, bot, and how it can sign in.
  traits smallint not null generated always as (
      ((suspended_at is not null)::int + 2 * admin::int + 4 * (kind = 'bot')::int + 8 * auth_services)::smallint
    ) stored,
  shown_version bigint not null default 0
);

create index accounts_invited_by on accounts (invited_by) where invited_by is not null;
create index accounts_search on accounts using gin (search_text gin_trgm_ops);
create index accounts_admins on accounts (id) where admin;
create index accounts_avatar_id on accounts (avatar_id) where avatar_id is not null;
create index accounts_invitation_id on accounts (invitation_id) where invitation_id is not null;
-- Each order of lists, with what they are narrowed by. Equal names are shown newest first, in both directions
-- of the names; so are accounts of one instant.
create index accounts_created_at on accounts (created_at, id) include (traits);
create index accounts_by_age on accounts (created_at, id desc) include (traits);
create index accounts_by_name on accounts (name_form collate "C", created_at desc, id desc) include (traits);
create index accounts_by_name_down on accounts (name_form collate "C", created_at, id) include (traits);
create index accounts_by_handle on accounts (handle collate "C", id) include (created_at, traits);
create index accounts_by_change on accounts (updated_at, created_at, id) include (traits);
create index accounts_by_change_up on accounts (updated_at, created_at desc, id desc) include (traits);
create index accounts_by_traits on accounts (traits);
-- What takes more than a fiftieth of the 2 MiB of a list, for the lists that show it.
create index accounts_large on accounts (id) where profile_weight > 41943;

-- Looks again how accounts can sign in, for the triggers of the tables that say so. Accounts are locked
-- first, so that what others have just committed is seen.
create function note_auth_services() returns trigger language plpgsql as $$
begin
  perform from accounts where id in (select account_id from changed) order by id for no key update;
  update accounts a set auth_services = now.services
    from (
      select c.account_id, (
          (exists (select from passwords where account_id = c.account_id))::int
          + 2 * (exists (select from code_sign_ins where account_id = c.account_id))::int
          + 4 * (exists (select from access_keys where account_id = c.account_id and revoked_at is null))::int
          + 8 * (exists (select from passkeys where account_id = c.account_id))::int
        )::smallint as services
      from (select distinct account_id from changed) c
    ) now
    where a.id = now.account_id and a.auth_services <> now.services;
  return null;
end $$;

-- How many accounts there are, by their traits. Several rows for each, and each connection has its own, so
-- that writers rarely wait for each other.
create table account_totals (
  traits smallint not null,
  shard smallint not null,
  accounts integer not null,
  primary key (traits, shard)
);

create function total_insert() returns trigger language plpgsql as $$
begin
  insert into account_totals as t (traits, shard, accounts)
    select c.traits, pg_backend_pid() % 16, c.n
      from (select traits, count(*)::int from changed group by traits) c (traits, n)
      order by c.traits
    on conflict (traits, shard) do update set accounts = t.accounts + excluded.accounts;
  return null;
end $$;
create trigger accounts_total_insert after insert on accounts
  referencing new table as changed
  for each statement execute function total_insert();

create function total_delete() returns trigger language plpgsql as $$
begin
  insert into account_totals as t (traits, shard, accounts)
    select c.traits, pg_backend_pid() % 16, c.n
      from (select traits, -count(*)::int from changed group by traits) c (traits, n)
      order by c.traits
    on conflict (traits, shard) do update set accounts = t.accounts + excluded.accounts;
  return null;
end $$;
create trigger accounts_total_delete after delete on accounts
  referencing old table as changed
  for each statement execute function total_delete();

create function forget_inviter() returns trigger language plpgsql as $$
begin
  new.invited_by := null;
  return new;
end $$;
create trigger accounts_forget_inviter before update of invitation_id on accounts
  for each row when (old.invitation_id is not null and new.invitation_id is null)
  execute function forget_inviter();

create function total_move() returns trigger language plpgsql as $$
begin
  insert into account_totals as t (traits, shard, accounts)
    select c.traits, pg_backend_pid() % 16, c.n
      from (values (old.traits, -1), (new.traits, 1)) c (traits, n)
      order by c.traits
    on conflict (traits, shard) do update set accounts = t.accounts + excluded.accounts;
  return null;
end $$;
create trigger accounts_total_update after update on accounts
  for each row when (old.traits is distinct from new.traits) execute function total_move();

-- Only a change of what answers show of people makes them other answers: who edits a profile sets every
-- column.
create constraint trigger accounts_shared_version after update of handle, name, signature, admin, suspended_at on accounts
  deferrable initially deferred for each row
  when ((old.handle, old.name, old.signature, old.admin, old.suspended_at)
    is distinct from (new.handle, new.name, new.signature, new.admin, new.suspended_at))
  execute function bump_people_version();

-- How many accounts joined on each day, in UTC. Connections have several rows, so that writers rarely wait
-- for each other.
create table account_days (
  day date not null,
  shard smallint not null,
  accounts integer not null,
  primary key (day, shard)
);

create function day_insert() returns trigger language plpgsql as $$
begin
  insert into account_days as d (day, shard, accounts)
    select c.day, pg_backend_pid() % 4, c.n
      from (select (created_at at time zone 'UTC')::date, count(*)::int from changed group by 1) c (day, n)
      order by c.day
    on conflict (day, shard) do update set accounts = d.accounts + excluded.accounts;
  return null;
end $$;
-- The name lets it run after the triggers that count all accounts.
create trigger accounts_total_of_day_insert after insert on accounts
  referencing new table as changed for each statement execute function day_insert();

create function day_delete() returns trigger language plpgsql as $$
begin
  insert into account_days as d (day, shard, accounts)
    select c.day, pg_backend_pid() % 4, c.n
      from (select (created_at at time zone 'UTC')::date, -count(*)::int from changed group by 1) c (day, n)
      order by c.day
    on conflict (day, shard) do update set accounts = d.accounts + excluded.accounts;
  return null;
end $$;
create trigger accounts_total_of_day_delete after delete on accounts
  referencing old table as changed for each statement execute function day_delete();

create function day_update() returns trigger language plpgsql as $$
begin
  insert into account_days as d (day, shard, accounts)
    select c.day, pg_backend_pid() % 4, c.n
      from (
        values ((old.created_at at time zone 'UTC')::date, -1), ((new.created_at at time zone 'UTC')::date, 1)
      ) c (day, n)
      order by c.day
    on conflict (day, shard) do update set accounts = d.accounts + excluded.accounts;
  return null;
end $$;
create trigger accounts_total_of_day_update after update on accounts
  for each row when ((old.created_at at time zone 'UTC')::date <> (new.created_at at time zone 'UTC')::date)
  execute function day_update();

create trigger accounts_shown_version before update on accounts
  for each row
  when ((old.handle, old.name, old.signature, old.admin, old.suspended_at)
    is distinct from (new.handle, new.name, new.signature, new.admin, new.suspended_at))
  execute function bump_shown_version();

-- Where either is taken, an id goes first: an account whose handle is the id of another would be out of
-- reach, and what is done to it would be done to the other.
create function check_handle_is_no_other_id() returns trigger language plpgsql as $$
begin
  if exists (select from accounts where id = new.handle and id <> new.id)
      or exists (select from accounts where handle = new.id and id <> new.id) then
    raise unique_violation using constraint = 'accounts_handle_is_no_other_id';
  end if;
  return new;
end $$;
create trigger accounts_handle_is_no_other_id before insert or update of handle on accounts
  for each row execute function check_handle_is_no_other_id();

create function end_staff_resets_of_administrator() returns trigger language plpgsql as $$
begin
  delete from password_resets where account_id = new.id and email_id is null;
  return null;
end $$;
create trigger accounts_end_staff_resets after update of admin on accounts
  for each row when (new.admin and not old.admin) execute function end_staff_resets_of_administrator();

-- One row at most: the account that founded the instance and so became its administrator.
create table founder (
  only_one boolean primary key default true check (only_one),
  account_id text not null references accounts (id) deferrable initially deferred
);

create index founder_account_id on founder (account_id);

create table account_interests (
  account_id text not null references accounts (id) on delete cascade,
  tag_id text not null references tags (id) on delete cascade,
  primary key (account_id, tag_id)
);

create index account_interests_tag_id on account_interests (tag_id);

create table account_emails (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  created_at timestamptz not null,
  address text not null unique check (address = lower(address) and char_length(address) between 3 and 254),
  verified boolean not null default false
);

create index account_emails_account_id on account_emails (account_id, created_at, id);
create index account_emails_search on account_emails using gin (address gin_trgm_ops);

create trigger account_emails_number before insert on account_emails
  for each row execute function check_number_of_rows('account_id', '20');

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
  -- How an account can sign in, kept by triggers of the tables that say so: lists are narrowed by it.
  has_password boolean not null default false,
  has_code_sign_in boolean not null default false,
  has_access_key boolean not null default false,
  has_passkey boolean not null default false,
  has_phone boolean not null default false,
  -- The other services that it has an account at.
  services_elsewhere text[] not null default '{}',
  shown_version bigint not null default 0
);

create index accounts_invited_by on accounts (invited_by) where invited_by is not null;
create index accounts_search on accounts using gin (search_text gin_trgm_ops);
create index accounts_admins on accounts (id) where admin;
create index accounts_avatar_id on accounts (avatar_id) where avatar_id is not null;
create index accounts_invitation_id on accounts (invitation_id) where invitation_id is not null;
-- Each order of lists, with what they are narrowed by, so that they are counted and far rows are passed over in
-- the index alone. Equal names are shown newest first, in both directions of the names; so are accounts of one
-- instant.
create index accounts_created_at on accounts (created_at, id)
  include (suspended_at, admin, kind, has_password, has_code_sign_in, has_access_key, has_passkey, has_phone,
    services_elsewhere);
create index accounts_by_age on accounts (created_at, id desc)
  include (suspended_at, admin, kind, has_password, has_code_sign_in, has_access_key, has_passkey, has_phone,
    services_elsewhere);
create index accounts_by_name on accounts (name_form collate "C", created_at desc, id desc)
  include (suspended_at, admin, kind, has_password, has_code_sign_in, has_access_key, has_passkey, has_phone,
    services_elsewhere);
create index accounts_by_name_down on accounts (name_form collate "C", created_at, id)
  include (suspended_at, admin, kind, has_password, has_code_sign_in, has_access_key, has_passkey, has_phone,
    services_elsewhere);
create index accounts_by_handle on accounts (handle collate "C", id)
  include (created_at, suspended_at, admin, kind, has_password, has_code_sign_in, has_access_key, has_passkey, has_phone,
    services_elsewhere);
create index accounts_by_change on accounts (updated_at, created_at, id)
  include (suspended_at, admin, kind, has_password, has_code_sign_in, has_access_key, has_passkey, has_phone,
    services_elsewhere);
create index accounts_by_change_up on accounts (updated_at, created_at desc, id desc)
  include (suspended_at, admin, kind, has_password, has_code_sign_in, has_access_key, has_passkey, has_phone,
    services_elsewhere);
-- Counts accounts by what they are, and finds those that are what few others are.
create index accounts_by_kind on accounts
  (kind, admin, suspended_at, has_password, has_code_sign_in, has_access_key, has_passkey, has_phone, services_elsewhere);
-- What takes more than a fiftieth of the 2 MiB of a list, for the lists that show it.
create index accounts_large on accounts (id) where profile_weight > 41943;

-- Looks again how an account can sign in, for the triggers of the tables that say so. The account is locked
-- first, so that what others have just committed is seen.
create function note_ways_to_sign_in() returns trigger language plpgsql as $$
declare
  account text := coalesce(new.account_id, old.account_id);
begin
  perform from accounts where id = account for no key update;
  update accounts a
    set (has_password, has_code_sign_in, has_access_key, has_passkey, has_phone, services_elsewhere)
      = (now.password, now.code_sign_in, now.access_key, now.passkey, now.phone, now.elsewhere)
    from (
      select exists (select from passwords where account_id = account) as password,
        exists (select from code_sign_ins where account_id = account) as code_sign_in,
        exists (select from access_keys where account_id = account and revoked_at is null) as access_key,
        exists (select from passkeys where account_id = account) as passkey,
        exists (select from phone_numbers where account_id = account) as phone,
        array(select distinct service from identities_elsewhere where account_id = account order by 1) as elsewhere
    ) now
    where a.id = account and (a.has_password, a.has_code_sign_in, a.has_access_key, a.has_passkey, a.has_phone,
        a.services_elsewhere)
      <> (now.password, now.code_sign_in, now.access_key, now.passkey, now.phone, now.elsewhere);
  return null;
end $$;

create function forget_inviter() returns trigger language plpgsql as $$
begin
  new.invited_by := null;
  return new;
end $$;
create trigger accounts_forget_inviter before update of invitation_id on accounts
  for each row when (old.invitation_id is not null and new.invitation_id is null)
  execute function forget_inviter();

-- Only a change of what answers show of people makes them other answers: who edits a profile sets every
-- column.
create constraint trigger accounts_shared_version after update of handle, name, signature, admin, suspended_at on accounts
  deferrable initially deferred for each row
  when ((old.handle, old.name, old.signature, old.admin, old.suspended_at)
    is distinct from (new.handle, new.name, new.signature, new.admin, new.suspended_at))
  execute function bump_people_version();

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

-- The account in whose name stays what erased accounts made. It is there once one was erased.
create function nobody() returns text language sql immutable as $$ select '0000000000000000000g' $$;

-- Handles of erased accounts, as hashes, so that nobody is taken for one of these.
create table retired_handles (
  key_hash bytea primary key check (octet_length(key_hash) = 32),
  until timestamptz not null
);

create index retired_handles_until on retired_handles (until);

-- Without it, whoever has a hash could try handles.
create table retired_handles_key (
  only_one boolean primary key default true check (only_one),
  key bytea not null check (octet_length(key) = 32)
);

insert into retired_handles_key (key)
  select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

create function hash_of_handle(handle_key text) returns bytea language sql stable as $$
  select sha256(key || convert_to(handle_key, 'UTF8')) from retired_handles_key
$$;

create function check_handle_is_not_retired() returns trigger language plpgsql as $$
begin
  if exists (select from retired_handles where key_hash = hash_of_handle(new.handle_key)) then
    raise unique_violation using constraint = tg_argv[0];
  end if;
  return new;
end $$;
create trigger accounts_handle_is_not_retired before insert or update of handle_key on accounts
  for each row execute function check_handle_is_not_retired('accounts_handle_key_key');

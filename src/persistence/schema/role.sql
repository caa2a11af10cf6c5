-- Held by every transaction that changes roles or who holds them: what each may do depends on what others
-- did.
create function lock_roles() returns void language sql volatile as $$
  select pg_advisory_xact_lock(731620030, 0)
$$;

create table roles (
  id text primary key,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  name text not null unique,
  colour text not null,
  permissions text[] not null,
  meta jsonb not null default '{}',
  -- Highest first; the built-in roles stand above and below all others.
  rank integer not null,
  built_in boolean not null default false,
  -- The ranks of custom roles are numbered from 1 without gaps, so that the highest rank limits their number.
  -- They are unique at the end of a statement, as one statement changes many.
  constraint roles_rank_key unique (rank) deferrable initially immediate,
  constraint roles_number check (built_in or rank between 1 and 200),
  constraint roles_admin check (id <> '00000000000000000020' or permissions = '{ADMINISTRATOR}')
);

insert into roles (id, created_at, updated_at, name, colour, permissions, rank, built_in) values
  ('00000000000000000020', '1970-01-01Z', '1970-01-01Z', 'Admin', 'red', '{ADMINISTRATOR}', 2147483647, true),
  ('00000000000000000010', '1970-01-01Z', '1970-01-01Z', 'Member', 'green',
   '{CREATE_POST,READ_PUBLISHED_THREADS,CREATE_REACTION,READ_PUBLISHED_LIBRARY,SUBMIT_LIBRARY_NODE,UPLOAD_ASSET,LIST_PROFILES,READ_PROFILE,CREATE_COLLECTION,LIST_COLLECTIONS,READ_COLLECTION,COLLECTION_SUBMIT}',
   -1, true),
  ('0000000000000000000g', '1970-01-01Z', '1970-01-01Z', 'Guest', 'gray',
   '{READ_PUBLISHED_THREADS,READ_PUBLISHED_LIBRARY,LIST_PROFILES,READ_PROFILE,LIST_COLLECTIONS,READ_COLLECTION}',
   -2, true);

create constraint trigger roles_shared_version after insert or update or delete on roles deferrable initially deferred
  for each row execute function bump_people_version();

create function bump_roles_version() returns trigger language plpgsql as $$
begin
  if current_setting('forum.roles_version_raised', true) is distinct from pg_current_xact_id()::text then
    perform set_config('forum.roles_version_raised', pg_current_xact_id()::text, true);
    update change_versions set roles = roles + 1 where shard = pg_backend_pid() % 16;
  end if;
  return null;
end $$;
create constraint trigger roles_own_shared_version after insert or update or delete on roles deferrable initially deferred
  for each row execute function bump_roles_version();

create function end_staff_resets_of_role() returns trigger language plpgsql as $$
begin
  delete from password_resets p using account_roles r
    where r.role_id = new.id and p.account_id = r.account_id and p.email_id is null;
  return null;
end $$;
create trigger roles_end_staff_resets after update of permissions on roles
  for each row when (new.permissions is distinct from old.permissions)
  execute function end_staff_resets_of_role();

create table account_roles (
  account_id text not null references accounts (id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  badge boolean not null default false,
  primary key (account_id, role_id),
  -- All accounts hold Member, administrators hold Admin, and nobody holds Guest: none is assigned.
  constraint account_roles_custom
    check (role_id not in ('00000000000000000020', '00000000000000000010', '0000000000000000000g'))
);

create unique index account_roles_one_badge on account_roles (account_id) where badge;
-- Who holds a role is read from the index alone.
create index account_roles_holders on account_roles (role_id, account_id);

create constraint trigger account_roles_shared_version after insert or update or delete on account_roles
  deferrable initially deferred for each row execute function bump_people_version();

-- Two transactions that assign roles to an account count one after the other.
create function check_account_roles() returns trigger language plpgsql as $$
begin
  perform from accounts where id in (select account_id from added) order by id for no key update;
  if exists (
    select from account_roles where account_id in (select account_id from added)
      group by account_id having count(*) > 32
  ) then
    raise exception 'An account holds too many roles'
      using errcode = 'check_violation', constraint = 'account_roles_number', table = 'account_roles';
  end if;
  return null;
end $$;
create trigger account_roles_number after insert on account_roles referencing new table as added
  for each statement execute function check_account_roles();

-- Accounts are locked by the statement itself, before anything that only a commit locks. A role that is
-- deleted is a change of the roles, however many have it.
create function bump_accounts_of_roles() returns trigger language plpgsql as $$
begin
  update accounts set shown_version = shown_version + 1 where id in (
    select a.id from accounts a
      where a.id in (select account_id from changed c where exists (select from roles where id = c.role_id))
      order by a.id for no key update);
  return null;
end $$;
create trigger account_roles_shown_version_insert after insert on account_roles
  referencing new table as changed
  for each statement execute function bump_accounts_of_roles();
create trigger account_roles_shown_version_update after update on account_roles
  referencing new table as changed
  for each statement execute function bump_accounts_of_roles();
create trigger account_roles_shown_version_delete after delete on account_roles
  referencing old table as changed
  for each statement execute function bump_accounts_of_roles();

-- Staff get tokens for accounts that may do no more than they: an account that may do more now has none.
create function end_staff_resets_of_account() returns trigger language plpgsql as $$
begin
  delete from password_resets where account_id = new.account_id and email_id is null;
  return null;
end $$;
create trigger account_roles_end_staff_resets after insert on account_roles
  for each row execute function end_staff_resets_of_account();

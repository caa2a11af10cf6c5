import { migration } from "../shared/migration.ts"

// As in the limits of roles and access keys. Numbers in the database change by a migration only.
const limits = { roles: 200, held: 32, keys: 50 }

// The first part of a two-part key of an advisory lock, which no other program on the same database is likely to use.
const rolesLock = 731_620_030

const admin = "00000000000000000020"
const builtIn = `'${admin}', '00000000000000000010', '0000000000000000000g'`

// A table whose deferred triggers have not run yet cannot be altered.
const settled = "set constraints all immediate"

const roles = [
  // The ranks of custom roles are numbered from 1 without gaps, so that the highest rank limits their number.
  // They are unique at the end of a statement, as one statement changes many.
  `alter table roles drop constraint roles_rank_key`,
  `update roles r set rank = n.rank from (
      select id, row_number() over (order by rank) as rank from roles where not built_in
    ) n where n.id = r.id and r.rank <> n.rank`,
  settled,
  `alter table roles
    add constraint roles_rank_key unique (rank) deferrable initially immediate,
    add constraint roles_number check (built_in or rank between 1 and ${limits.roles}),
    add constraint roles_admin check (id <> '${admin}' or permissions = '{ADMINISTRATOR}')`,

  // Held by every transaction that changes roles or who holds them: what each may do depends on what others did.
  `create function lock_roles() returns void language sql volatile as $$
    select pg_advisory_xact_lock(${rolesLock}, 0)
  $$`,

  // All accounts hold Member, administrators hold Admin, and nobody holds Guest: none is assigned.
  `delete from account_roles where role_id in (${builtIn})`,
  settled,
  `alter table account_roles add constraint account_roles_custom check (role_id not in (${builtIn}))`,

  // Two transactions that assign roles to an account count one after the other.
  `create function check_account_roles() returns trigger language plpgsql as $$
    begin
      perform from accounts where id in (select account_id from added) order by id for no key update;
      if exists (
        select from account_roles where account_id in (select account_id from added)
          group by account_id having count(*) > ${limits.held}
      ) then
        raise exception 'An account holds too many roles'
          using errcode = 'check_violation', constraint = 'account_roles_number', table = 'account_roles';
      end if;
      return null;
    end $$`,
  `create trigger account_roles_number after insert on account_roles referencing new table as added
    for each statement execute function check_account_roles()`
]

const accessKeys = [
  `create table access_keys (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    -- Of the account's places for keys, which limit their number.
    place smallint not null check (place between 1 and ${limits.keys}),
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    name text not null check (char_length(name) between 1 and 100),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    constraint access_keys_places unique (account_id, place)
  )`,
  `create index access_keys_of_account on access_keys (account_id, id)`
]

export default migration([...roles, ...accessKeys])

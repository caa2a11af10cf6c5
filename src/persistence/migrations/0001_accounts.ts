import { migration } from "../shared/migration.ts"

export default migration([
  `create table roles (
    id text primary key,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    name text not null unique,
    colour text not null,
    permissions text[] not null,
    meta jsonb not null default '{}',
    -- Highest first; the built-in roles stand above and below all others.
    rank integer not null unique,
    built_in boolean not null default false
  )`,
  `insert into roles (id, created_at, updated_at, name, colour, permissions, rank, built_in) values
    ('00000000000000000020', '1970-01-01Z', '1970-01-01Z', 'Admin', 'red', '{ADMINISTRATOR}', 2147483647, true),
    ('00000000000000000010', '1970-01-01Z', '1970-01-01Z', 'Member', 'green',
     '{CREATE_POST,READ_PUBLISHED_THREADS,CREATE_REACTION,READ_PUBLISHED_LIBRARY,SUBMIT_LIBRARY_NODE,UPLOAD_ASSET,LIST_PROFILES,READ_PROFILE,CREATE_COLLECTION,LIST_COLLECTIONS,READ_COLLECTION,COLLECTION_SUBMIT}',
     -1, true),
    ('0000000000000000000g', '1970-01-01Z', '1970-01-01Z', 'Guest', 'gray',
     '{READ_PUBLISHED_THREADS,READ_PUBLISHED_LIBRARY,LIST_PROFILES,READ_PROFILE,LIST_COLLECTIONS,READ_COLLECTION}',
     -2, true)`,

  `create table accounts (
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
    invited_by text references accounts (id) on delete set null
  )`,
  `create index accounts_invited_by on accounts (invited_by) where invited_by is not null`,
  `create index accounts_created_at on accounts (created_at, id)`,

  // One row at most: the account that founded the instance and so became its administrator.
  `create table founder (
    only_one boolean primary key default true check (only_one),
    account_id text not null references accounts (id) deferrable initially deferred
  )`,
  `create index founder_account_id on founder (account_id)`,

  `create table account_roles (
    account_id text not null references accounts (id) on delete cascade,
    role_id text not null references roles (id) on delete cascade,
    badge boolean not null default false,
    primary key (account_id, role_id)
  )`,
  `create index account_roles_role_id on account_roles (role_id)`,
  `create unique index account_roles_one_badge on account_roles (account_id) where badge`,

  `create table passwords (
    account_id text primary key references accounts (id) on delete cascade,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    hash text not null
  )`,

  `create table sessions (
    token_hash bytea primary key check (octet_length(token_hash) = 32),
    account_id text not null references accounts (id) on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  `create index sessions_account_id on sessions (account_id)`,
  `create index sessions_expires_at on sessions (expires_at)`,

  // Wrong passwords since a moment, for the limit on guessing.
  `create table sign_in_failures (
    account_id text primary key references accounts (id) on delete cascade,
    failures integer not null,
    since timestamptz not null
  )`,

  // What an embedded profile shows lives in many answers; their validators include this number.
  `create table change_stamps (
    name text primary key,
    value bigint not null
  )`,
  `insert into change_stamps (name, value) values ('people', 0)`,
  `create function stamp_people() returns trigger language plpgsql as $$
    begin
      update change_stamps set value = value + 1 where name = 'people';
      return null;
    end $$`,
  `create trigger accounts_stamp after update of handle, name, signature, admin, suspended_at on accounts
    for each statement execute function stamp_people()`,
  `create trigger roles_stamp after insert or update or delete on roles
    for each statement execute function stamp_people()`,
  `create trigger account_roles_stamp after insert or update or delete on account_roles
    for each statement execute function stamp_people()`
])

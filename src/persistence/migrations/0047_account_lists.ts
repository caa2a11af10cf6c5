import { migration } from "../shared/migration.ts"

// As in `AccountTraits.ts`. Bits change by a migration only.
const services = `(
    (exists (select from passwords where account_id = %))::int
    + 2 * (exists (select from code_sign_ins where account_id = %))::int
    + 4 * (exists (select from access_keys where account_id = % and revoked_at is null))::int
    + 8 * (exists (select from passkeys where account_id = %))::int
  )::smallint`
const servicesOf = (account: string) => services.replaceAll("%", account)

/** Looks again how accounts can sign in whose rows of a table have come, changed or gone. */
const noted = (table: string, events: ReadonlyArray<"insert" | "update" | "delete">) =>
  events.map(
    (event) => `create trigger ${table}_auth_services_${event} after ${event} on ${table}
      referencing ${event === "delete" ? "old" : "new"} table as changed
      for each statement execute function note_auth_services()`
  )

const traits = [
  // How an account can sign in, a bit each: with a password, with codes, with access keys, with passkeys.
  `alter table accounts add column auth_services smallint not null default 0`,
  `update accounts a set auth_services = ${servicesOf("a.id")} where ${servicesOf("a.id")} <> 0`,
  // What lists are narrowed by, a bit each: suspended, administrator, bot, and how it can sign in.
  `alter table accounts add column traits smallint not null generated always as (
    ((suspended_at is not null)::int + 2 * admin::int + 4 * (kind = 'bot')::int + 8 * auth_services)::smallint
  ) stored`,
  // Accounts are locked first, so that what others have just committed is seen.
  `create function note_auth_services() returns trigger language plpgsql as $$
    begin
      perform from accounts where id in (select account_id from changed) order by id for no key update;
      update accounts a set auth_services = now.services
        from (
          select c.account_id, ${servicesOf("c.account_id")} as services
          from (select distinct account_id from changed) c
        ) now
        where a.id = now.account_id and a.auth_services <> now.services;
      return null;
    end $$`,
  ...noted("passwords", ["insert", "delete"]),
  ...noted("code_sign_ins", ["insert", "delete"]),
  ...noted("access_keys", ["insert", "update", "delete"]),
  ...noted("passkeys", ["insert", "delete"])
]

/** Adds to the totals of traits, in their order, as everybody does. */
const adding = (changes: string) => `insert into account_totals as t (traits, shard, accounts)
      select c.traits, pg_backend_pid() % 16, c.n from (${changes}) c (traits, n) order by c.traits
      on conflict (traits, shard) do update set accounts = t.accounts + excluded.accounts;`

const replaced = (name: string, changes: string) =>
  `create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      ${adding(changes)}
      return null;
    end $$`

// How many accounts there are, by their traits. Several rows for each, and each connection has its own, so that
// writers rarely wait for each other.
const totals = [
  `drop table account_totals`,
  `create table account_totals (
    traits smallint not null,
    shard smallint not null,
    accounts integer not null,
    primary key (traits, shard)
  )`,
  `insert into account_totals (traits, shard, accounts) select traits, 0, count(*)::int from accounts group by traits`,
  replaced("total_insert", "select traits, count(*)::int from changed group by traits"),
  replaced("total_delete", "select traits, -count(*)::int from changed group by traits"),
  replaced("total_move", "values (old.traits, -1), (new.traits, 1)"),
  `create trigger accounts_total_update after update on accounts
    for each row when (old.traits is distinct from new.traits) execute function total_move()`
]

// Each order of lists, with what they are narrowed by.
const orders = [
  `drop index accounts_created_at, accounts_by_age, accounts_by_name, accounts_by_name_down, accounts_by_handle`,
  `create index accounts_created_at on accounts (created_at, id) include (traits)`,
  `create index accounts_by_age on accounts (created_at, id desc) include (traits)`,
  `create index accounts_by_name on accounts (name_form collate "C", created_at desc, id desc) include (traits)`,
  `create index accounts_by_name_down on accounts (name_form collate "C", created_at, id) include (traits)`,
  `create index accounts_by_handle on accounts (handle collate "C", id) include (created_at, traits)`,
  `create index accounts_by_change on accounts (updated_at, created_at, id) include (traits)`,
  `create index accounts_by_change_up on accounts (updated_at, created_at desc, id desc) include (traits)`,
  `create index accounts_by_traits on accounts (traits)`
]

export default migration([
  ...traits,
  ...totals,
  ...orders,
  `create index account_emails_search on account_emails using gin (address gin_trgm_ops)`
])

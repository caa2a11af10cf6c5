import { migration } from "../shared/migration.ts"

/** Adds to the numbers of days, in their order, as everybody does. */
const adding = (changes: string) => `insert into account_days as d (day, shard, accounts)
        select c.day, pg_backend_pid() % 4, c.n from (${changes}) c (day, n) order by c.day
        on conflict (day, shard) do update set accounts = d.accounts + excluded.accounts;`

const day = (created: string) => `(${created} at time zone 'UTC')::date`

const counting = (event: string, condition: string, changes: string) => [
  `create function day_${event}() returns trigger language plpgsql as $$
    begin
      ${adding(changes)}
      return null;
    end $$`,
  // The name lets it run after the triggers that count all accounts.
  `create trigger accounts_total_of_day_${event} after ${event} on accounts
    ${condition} execute function day_${event}()`
]

// How many accounts joined on each day, in UTC. Connections have several rows, so that writers rarely wait for each other.
export default migration([
  `create table account_days (
    day date not null,
    shard smallint not null,
    accounts integer not null,
    primary key (day, shard)
  )`,
  `insert into account_days (day, shard, accounts)
    select ${day("created_at")}, 0, count(*)::int from accounts group by 1`,
  ...counting(
    "insert",
    "referencing new table as changed for each statement",
    `select ${day("created_at")}, count(*)::int from changed group by 1`
  ),
  ...counting(
    "delete",
    "referencing old table as changed for each statement",
    `select ${day("created_at")}, -count(*)::int from changed group by 1`
  ),
  ...counting(
    "update",
    `for each row when (${day("old.created_at")} <> ${day("new.created_at")})`,
    `values (${day("old.created_at")}, -1), (${day("new.created_at")}, 1)`
  )
])

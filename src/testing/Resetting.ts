/**
 * What a database of tests has beside the schema of the service: its clock, its numbers of transactions, and how it
 * becomes again what it was.
 *
 * PostgreSQL looks for functions in the schemas of `search_path`, in that order. With `forum_testing` before its own
 * functions, statements and defaults of the service find these, which answer the time of the test, and count transactions
 * from the last reset on: cursors have their numbers in them.
 */

import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** The schemas in which functions are looked for. Tables are made in the first one. */
export const searchPath = "public, forum_testing, pg_catalog"

// A number far from those that are special to PostgreSQL.
const firstTransaction = 1_000

const functions = [
  `create schema forum_testing`,
  `create table forum_testing.state (base bigint not null, time timestamptz not null)`,
  `insert into forum_testing.state values (0, 'epoch')`,
  `create sequence forum_testing.uuids`,
  `create function forum_testing.now() returns timestamptz language sql stable
     as 'select time from forum_testing.state'`,
  `create function forum_testing.gen_random_uuid() returns uuid language sql volatile
     as $$ select md5('forum_testing' || nextval('forum_testing.uuids'))::uuid $$`,
  `create function forum_testing.pg_current_xact_id() returns xid8 language sql stable
     as 'select (pg_catalog.pg_current_xact_id()::text::bigint - base)::text::xid8 from forum_testing.state'`,
  `create function forum_testing.pg_current_xact_id_if_assigned() returns xid8 language sql stable
     as 'select (pg_catalog.pg_current_xact_id_if_assigned()::text::bigint - base)::text::xid8 from forum_testing.state'`,
  `create function forum_testing.pg_current_snapshot() returns pg_snapshot language sql stable as $$
     select (pg_snapshot_xmin(now)::text::bigint - base || ':' || pg_snapshot_xmax(now)::text::bigint - base || ':' ||
       coalesce((select string_agg((x::text::bigint - base)::text, ',' order by x) from pg_snapshot_xip(now) as x), '')
     )::pg_snapshot
     from pg_catalog.pg_current_snapshot() as now, forum_testing.state $$`
]

/** Keeps what tables and sequences hold, so that `reset` brings them back to it. */
const keep = `create function forum_testing.keep() returns void language plpgsql as $keep$
declare
  one record;
  is_filled boolean;
begin
  create table forum_testing.tables as
    select c.oid, c.oid::regclass::text as name, format('forum_testing.kept_%s', c.oid) as kept, false as is_filled,
      string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attgenerated = '') as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    group by c.oid;
  for one in select * from forum_testing.tables loop
    execute format('select exists (select from %s)', one.name) into is_filled;
    if is_filled then
      execute format('create table %s as table %s', one.kept, one.name);
      update forum_testing.tables t set is_filled = true where t.oid = one.oid;
    end if;
  end loop;
  create table forum_testing.sequences as
    select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, start_value) as value,
      last_value is not null as is_used
    from pg_sequences where schemaname in ('public', 'forum_testing');
end $keep$`

/** Few rows are deleted faster than the files of a table are replaced. */
const fewBytes = 64 * 1024

const reset = `create function forum_testing.reset() returns void language plpgsql as $reset$
declare
  one record;
  is_filled boolean;
begin
  -- Triggers and foreign keys are for what the service writes.
  perform set_config('session_replication_role', 'replica', true);
  for one in select * from forum_testing.tables where pg_relation_size(oid) > ${fewBytes} loop
    execute format('truncate %s cascade', one.name);
  end loop;
  for one in select * from forum_testing.tables where pg_relation_size(oid) > 0 loop
    execute format('delete from %s', one.name);
  end loop;
  for one in select * from forum_testing.tables t where t.is_filled loop
    execute format('insert into %s (%s) overriding system value select %s from %s',
      one.name, one.columns, one.columns, one.kept);
  end loop;
  perform setval(name::regclass, value, is_used) from forum_testing.sequences;
end $reset$`

/** Makes them in a database, before the schema of the service. */
export const install = PgClient.PgClient.use((sql) =>
  Effect.forEach([...functions, keep, reset], (text) => sql.unsafe(text), { discard: true })
)

/** Keeps the database as it is now, for `restore`. */
export const keepAsItIs = PgClient.PgClient.use((sql) => sql`select forum_testing.keep()`)

/** Brings the database back to what was kept. */
export const restore = PgClient.PgClient.use((sql) => sql`select forum_testing.reset()`)

/** Sets the time of the database. */
export const setTime = (millis: number) =>
  PgClient.PgClient.use(
    (sql) => sql`update forum_testing.state set time = to_timestamp(${millis}::float8 / 1000)`
  )

/** The next transaction has the number that it has after each start. */
export const countAnew = PgClient.PgClient.use(
  (sql) => sql`update forum_testing.state
    set base = pg_catalog.pg_current_xact_id()::text::bigint - ${firstTransaction}`
)

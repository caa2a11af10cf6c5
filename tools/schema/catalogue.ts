/** The tables, triggers and functions of a database, as its catalogue has them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  /** The table that it refers to, and what becomes of the row when that goes. */
  readonly refers: string | null
  readonly deletion: "cascade" | "set null" | "kept" | null
  /** What a generated column is made of. */
  readonly expression: string | null
}

export interface Trigger {
  readonly table: string
  readonly name: string
  readonly routine: string
  /** Whether it runs before the row is written, after the statement, or when the transaction commits. */
  readonly time: "before" | "after" | "at commit"
  readonly events: ReadonlyArray<"insert" | "update" | "delete" | "truncate">
  /** The columns whose update sets it off; empty for all. */
  readonly columns: ReadonlyArray<string>
  readonly condition: string | null
}

export interface Routine {
  readonly name: string
  readonly body: string
}

export interface Catalogue {
  readonly columns: ReadonlyArray<Column>
  readonly triggers: ReadonlyArray<Trigger>
  readonly routines: ReadonlyArray<Routine>
}

const columns = SqlClient.SqlClient.use(
  (sql) => sql<Column>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
        f.confrelid::regclass::text as refers,
        case f.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'a' then 'kept' end as deletion,
        case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end as expression
      from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
        left join lateral (
          select * from pg_constraint where contype = 'f' and conrelid = c.oid and conkey[1] = a.attnum limit 1
        ) f on true
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
      order by c.relname collate "C", a.attnum`
)

const triggers = SqlClient.SqlClient.use(
  (sql) => sql<Trigger>`
    select tgrelid::regclass::text as table, tgname as name, tgfoid::regproc::text as routine,
        case when tginitdeferred then 'at commit' when tgtype & 2 > 0 then 'before' else 'after' end as time,
        array_remove(array[
          case when tgtype & 4 > 0 then 'insert' end, case when tgtype & 16 > 0 then 'update' end,
          case when tgtype & 8 > 0 then 'delete' end, case when tgtype & 32 > 0 then 'truncate' end], null) as events,
        array(select attname::text from pg_attribute
          where attrelid = tgrelid and attnum = any(tgattr::int2[]) order by attnum) as columns,
        substring(pg_get_triggerdef(oid) from ' WHEN \\((.*)\\) EXECUTE ') as condition
      from pg_trigger where not tgisinternal
      order by tgrelid::regclass::text collate "C", tgtype & 2 = 0, tginitdeferred, tgname`
)

const routines = SqlClient.SqlClient.use(
  (sql) => sql<Routine>`
    select proname as name, regexp_replace(prosrc, '--[^\n]*', '', 'g') as body from pg_proc
      where pronamespace = 'public'::regnamespace and not exists (
        select from pg_depend where objid = pg_proc.oid and deptype = 'e')
      order by proname`
)

export const catalogue: Effect.Effect<Catalogue, unknown, SqlClient.SqlClient> = Effect.all({
  columns,
  triggers,
  routines
})

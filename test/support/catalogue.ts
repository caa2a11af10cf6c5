import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** All that the schema of a database consists of, a line each. */
export const catalogueLines = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly line: string }>`
      with tables as (
        select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      )
      select format('column %s.%s %s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod),
          attnotnull, attgenerated, pg_get_expr(adbin, adrelid)) as line
        from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attrelid in (select oid from tables) and attnum > 0 and not attisdropped
      union all select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
        from pg_constraint where conrelid in (select oid from tables)
      union all select pg_get_indexdef(indexrelid) from pg_index where indrelid in (select oid from tables)
      union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all select pg_get_functiondef(p.oid) from pg_proc p
        where pronamespace = 'public'::regnamespace
          and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
      union all select 'sequence ' || sequencename from pg_sequences where schemaname = 'public'
      order by line`,
    (rows) => rows.map(({ line }) => line)
  )
)

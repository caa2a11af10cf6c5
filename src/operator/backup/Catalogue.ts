/** What a database consists of, from its catalogue. */
import { quoted, type Session } from "../shared/Session.ts"
import type { Sequences, Table } from "./Manifest.ts"

export const columnsOf = ({ columns, name }: Table) => `${quoted(name)} (${columns.map(quoted).join(", ")})`

/** The last number that each sequence gave, those aside that gave none. */
export const findSequences = async (session: Session): Promise<Sequences> =>
  (
    await session.rows<{
      name: string
      value: string
    }>(`select sequencename as name, last_value::text as value
      from pg_sequences where schemaname = 'public' and last_value is not null
      order by sequencename collate "C"`)
  ).map(({ name, value }) => ({ name, value: BigInt(value) }))

/** Something that is in the database already, other than what extensions bring. */
export const findAnything = async (session: Session): Promise<string | undefined> => {
  const [found] = await session.rows<{ name: string }>(`select n.nspname || '.' || o.name as name
    from (
      select oid, relname as name, relnamespace as namespace, 'pg_class'::regclass as of from pg_class
      union all select oid, proname, pronamespace, 'pg_proc'::regclass from pg_proc
    ) o join pg_namespace n on n.oid = o.namespace
    where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and not exists (select from pg_depend d where d.classid = o.of and d.objid = o.oid and d.deptype = 'e')
      and not exists (
        select from pg_index i join pg_depend d on d.objid = i.indrelid
        where i.indexrelid = o.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
    order by 1 limit 1`)
  return found?.name
}

interface Statements {
  /** Takes it away, while rows are written. */
  readonly remove: string
  /** Makes it again, which checks the rows. */
  readonly make: string
}

/** Foreign keys in the order in which they were made, as is the order of what they do. */
export const foreignKeys = (session: Session): Promise<ReadonlyArray<Statements>> =>
  session.rows<Statements & Record<string, unknown>>(`select
      format('alter table %s drop constraint %I', conrelid::regclass, conname) as remove,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
    from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
    order by oid`)

/** Indexes, other than those of constraints. */
export const indexes = (session: Session): Promise<ReadonlyArray<Statements>> =>
  session.rows<Statements & Record<string, unknown>>(`select
      format('drop index %s', i.indexrelid::regclass) as remove, pg_get_indexdef(i.indexrelid) as make
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u', 'x'))
    order by i.indexrelid`)

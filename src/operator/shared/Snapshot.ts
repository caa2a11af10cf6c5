/** One moment of the database, whose tables and files stay as they are until it was read. */
import { OperatorFailure } from "../OperatorFailure.ts"
import { quoted, type Session } from "./Session.ts"

/** A table with the columns that can be written. */
export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

export const findTables = (session: Session): Promise<ReadonlyArray<Table>> =>
  session.rows<Table & Record<string, unknown>>(`select c.relname as name,
      array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname collate "C"`)

/**
 * Held until the files were read, and asked for by what removes those that were replaced (`AssetStoreSql`).
 */
const heldFiles = "pg_advisory_xact_lock_shared(731620090, 0)"

/** Holds what is read, and only then begins the snapshot: what happens later is not in it. Answers all tables. */
export const beginSnapshot = async (session: Session): Promise<ReadonlyArray<Table>> => {
  const tables = await findTables(session)
  await session.begin("isolation level repeatable read read only")
  await session.run(
    `lock table only ${tables.map(({ name }) => quoted(name)).join(", ")} in access share mode`,
    `select ${heldFiles}`
  )
  const locked = await findTables(session)
  if (JSON.stringify(tables) !== JSON.stringify(locked))
    throw new OperatorFailure({ message: "The schema of the database was changed meanwhile. Try again." })
  return tables
}

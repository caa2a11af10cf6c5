/** Reads dumps of PostgreSQL as `pg_dump` writes them as text, compressed by `gzip` or not. */
import { refuse, unpacked } from "./Bytes.ts"
import type { Reading } from "./Conversion.ts"
import { copiedRows, type Field } from "./CopyText.ts"
import type { Table } from "./Scratch.ts"

type Fields = ReadonlyArray<Field>

/** Which tables are read, and what is stored of their rows. */
export interface DumpForm {
  readonly program: string
  readonly tables: Readonly<Record<string, Table>>
  /** Without these, a dump is of another program. */
  readonly needed: ReadonlyArray<string>
  /** The columns and rows to store, in place of those that the dump has. One that was too long is none. */
  readonly storedOf?: (
    table: string,
    columns: ReadonlyArray<string>,
    rows: ReadonlyArray<Fields | undefined>
  ) => { readonly columns: ReadonlyArray<string>; readonly rows: ReadonlyArray<Fields | undefined> }
}

export const readDump = async (
  { scratch, signal }: Reading,
  { needed, program, storedOf, tables }: DumpForm,
  bytes: AsyncIterable<Uint8Array>
) => {
  const storing = new Map<string, ReturnType<typeof scratch.storing>>()
  const isWanted = (name: string) => Object.hasOwn(tables, name)
  for await (const { columns, isLast, rows, table } of copiedRows(unpacked("The dump", bytes), isWanted)) {
    signal.throwIfAborted()
    const form = tables[table]
    if (form === undefined) continue
    const store = storing.get(table) ?? scratch.storing(table, form)
    storing.set(table, store)
    const stored = storedOf?.(table, columns, rows) ?? { columns, rows }
    store(stored.columns, stored.rows, isLast)
  }
  const missing = needed.filter((table) => !scratch.progressOf(table).isComplete)
  if (missing.length > 0)
    throw refuse(
      `The dump has no tables ${missing.join(", ")}. It is none of ${program} as \`pg_dump\` writes it as text.`
    )
}

/** Refuses what only another tool of PostgreSQL can read. */
export const checkIsText = (beginning: Buffer) => {
  if (beginning.toString("latin1", 0, 5) === "PGDMP")
    throw refuse(
      "The dump is in the form that only `pg_restore` reads. Make one with `pg_dump --format=plain`."
    )
}

/** Reads a dump of the database of NodeBB in PostgreSQL. */
import type { Reading } from "../shared/Conversion.ts"
import type { Field } from "../shared/CopyText.ts"
import { checkIsText, type DumpForm, readDump } from "../shared/Dumps.ts"
import { columns, type Fields, hashRow, setRow, sortedRow } from "./Kept.ts"
import { needed, tables } from "./Tables.ts"

interface Form {
  /** The columns of the dump that are wanted. */
  readonly given: ReadonlyArray<string>
  readonly row: (key: string, fields: Fields) => Fields | undefined
}

const forms: Readonly<Record<keyof typeof tables, Form>> = {
  legacy_hash: { given: ["data"], row: (key, [data = null]) => hashRow(key, () => data) },
  legacy_zset: {
    given: ["value", "score"],
    row: (key, [value = null, score = null]) => sortedRow(key, value, score)
  },
  legacy_set: { given: ["member"], row: (key, [member = null]) => setRow(key, member) }
}

const isKnown = (table: string): table is keyof typeof tables => Object.hasOwn(tables, table)

const storedOf: NonNullable<DumpForm["storedOf"]> = (table, found, rows) => {
  if (!isKnown(table)) return { columns: found, rows }
  const { given, row } = forms[table]
  const keyPlace = found.indexOf("_key")
  const places = given.map((column) => found.indexOf(column))
  return {
    columns: columns[table],
    rows: rows.flatMap((fields): ReadonlyArray<Fields | undefined> => {
      if (fields === undefined) return [undefined]
      const key: Field | undefined = fields[keyPlace]
      if (typeof key !== "string") return []
      const kept = row(
        key,
        places.map((place) => fields[place] ?? null)
      )
      return kept === undefined ? [] : [kept]
    })
  }
}

const form: DumpForm = { program: "NodeBB", tables, needed, storedOf }

export const readPostgres = async (reading: Reading, beginning: Buffer, bytes: AsyncIterable<Uint8Array>) => {
  checkIsText(beginning)
  await readDump(reading, form, bytes)
}

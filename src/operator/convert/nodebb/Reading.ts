/** Reads a dump of the database of NodeBB in PostgreSQL, and the directory of its uploads. */
import { bytesOfFile, peeked, refuse, unpacked } from "../shared/Bytes.ts"
import type { Reading } from "../shared/Conversion.ts"
import type { Field } from "../shared/CopyText.ts"
import { checkIsText, type DumpForm, readDump } from "../shared/Dumps.ts"
import { webAddress } from "../shared/Fields.ts"
import { hashKey, type Key, setKey, sortedKey } from "./Keys.ts"
import { prepareNodebb } from "./Preparing.ts"
import { needed, tables } from "./Tables.ts"
import { checkUploads, readUploads } from "./Uploads.ts"

interface Form {
  /** What is stored of a row, by the columns of the dump that are wanted. */
  readonly given: ReadonlyArray<string>
  readonly stored: ReadonlyArray<string>
  readonly keyOf: (key: string) => Key | undefined
  readonly row: (key: string, of: Key, fields: ReadonlyArray<Field>) => ReadonlyArray<Field>
}

/** Of objects that are left out, only that they are there. */
const withoutContent = new Set(["room", "queued", "elsewhere", "flag"])

const forms: Readonly<Record<string, Form>> = {
  legacy_hash: {
    given: ["data"],
    stored: ["_key", "kind", "id", "data"],
    keyOf: hashKey,
    row: (key, { id, kind }, [data = null]) => [key, kind, id, withoutContent.has(kind) ? "{}" : data]
  },
  legacy_zset: {
    given: ["value", "score"],
    stored: ["item", "kind", "id", "value", "score"],
    keyOf: sortedKey,
    row: (key, { id, kind }, [value = null, score = null]) => [`${key}\n${value}`, kind, id, value, score]
  },
  legacy_set: {
    given: ["member"],
    stored: ["item", "kind", "id", "value"],
    keyOf: setKey,
    row: (key, { id, kind }, [value = null]) => [`${key}\n${value}`, kind, id, value]
  }
}

const storedOf: NonNullable<DumpForm["storedOf"]> = (table, columns, rows) => {
  const form = forms[table]
  if (form === undefined) return { columns, rows }
  const keyPlace = columns.indexOf("_key")
  const places = form.given.map((column) => columns.indexOf(column))
  return {
    columns: form.stored,
    rows: rows.flatMap((row) => {
      if (row === undefined) return [undefined]
      const key = row[keyPlace]
      const of = typeof key === "string" ? form.keyOf(key) : undefined
      if (typeof key !== "string" || of === undefined) return []
      return [
        form.row(
          key,
          of,
          places.map((place) => row[place] ?? null)
        )
      ]
    })
  }
}

const form: DumpForm = { program: "NodeBB", tables, needed, storedOf }

export const readNodebb = async (reading: Reading) => {
  const { options, scratch, source, told } = reading
  if (options.uploads !== undefined) await checkUploads(options.uploads)
  if (options.address !== undefined && webAddress(options.address) === undefined)
    throw refuse(`${options.address} is no address of the web.`)
  scratch.makeTables(tables)
  const { all, beginning } = await peeked(unpacked("The dump", bytesOfFile(source, told)), 16)
  checkIsText(beginning)
  await readDump(reading, form, all)
  prepareNodebb(scratch, options)
  if (options.uploads !== undefined) await readUploads(reading, options.uploads)
}

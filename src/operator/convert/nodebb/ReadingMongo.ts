/** Reads a dump of the database of NodeBB in MongoDB. It has one collection, of hashes, sets, and members of lists with scores. */
import { Long } from "bson"
import { refuse } from "../shared/Bytes.ts"
import type { Reading } from "../shared/Conversion.ts"
import { type Document, documentsIn } from "../shared/MongoDump.ts"
import { columns, type Fields, hashRow, setRow, sortedRow } from "./Kept.ts"
import { needed, tables } from "./Tables.ts"

type TableName = (typeof needed)[number]

const collection = "objects"

/** What is stored beside the data itself. */
const around = new Set(["_id", "_key", "expireAt"])

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const plain = (value: unknown) => {
  if (isPlain(value)) return value
  if (value instanceof Date) return value.getTime()
  return Long.isLong(value) ? value.toString() : null
}

const textOf = (value: unknown) => {
  const found = plain(value)
  return found === null ? null : String(found)
}

const jsonOf = (names: ReadonlyArray<string>, document: Document) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, plain(document[name])])))

/** The rows of a document, by the rule with which NodeBB tells them apart: the names of their fields. */
const rowsOf = (
  document: Document
): readonly [table: TableName, rows: ReadonlyArray<Fields | undefined>] | undefined => {
  const { _key: key, members, score, value } = document
  if (typeof key !== "string") return undefined
  const names = Object.keys(document).filter((name) => !around.has(name))
  if (names.length === 2 && value !== undefined && score !== undefined)
    return ["legacy_zset", [sortedRow(key, textOf(value), textOf(score))]]
  if (names.length === 1 && Array.isArray(members))
    return ["legacy_set", members.map((member) => setRow(key, textOf(member)))]
  return ["legacy_hash", [hashRow(key, () => jsonOf(names, document))]]
}

export const readMongo = async ({ scratch, signal }: Reading, bytes: AsyncIterable<Uint8Array>) => {
  const stores = {
    legacy_hash: scratch.storing("legacy_hash", tables.legacy_hash),
    legacy_zset: scratch.storing("legacy_zset", tables.legacy_zset),
    legacy_set: scratch.storing("legacy_set", tables.legacy_set)
  }
  let found = 0
  for await (const documents of documentsIn(bytes, collection)) {
    signal.throwIfAborted()
    const kept: Record<TableName, Array<Fields>> = { legacy_hash: [], legacy_zset: [], legacy_set: [] }
    for (const document of documents) {
      const [table, rows] = rowsOf(document) ?? []
      if (table === undefined || rows === undefined) continue
      found += 1
      for (const row of rows) if (row !== undefined) kept[table].push(row)
    }
    for (const table of needed) if (kept[table].length > 0) stores[table](columns[table], kept[table], false)
  }
  if (found === 0)
    throw refuse(
      `The dump has nothing of NodeBB. It is made of the collection \`${collection}\` by \`mongodump\`.`
    )
  for (const table of needed) stores[table](columns[table], [], true)
}

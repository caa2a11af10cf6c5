/** Reads a backup of Discourse: an archive of a dump and of the files that were uploaded, or the dump alone. */
import { entriesOf, isTar } from "../shared/Archive.ts"
import { bytesOfFile, refuse, unpacked } from "../shared/Bytes.ts"
import type { Reading } from "../shared/Conversion.ts"
import { copiedRows } from "../shared/CopyText.ts"
import { storeFile } from "../shared/Files.ts"
import { tailOf } from "../shared/Tails.ts"
import { isTable, needed, tables } from "./Tables.ts"

const dumpName = /^dump\.sql(?:\.gz)?$/

const readDump = async ({ scratch, signal }: Reading, bytes: AsyncIterable<Uint8Array>) => {
  const storing = new Map<string, ReturnType<typeof scratch.storing>>()
  for await (const { columns, isLast, rows, table } of copiedRows(unpacked("The dump", bytes), isTable)) {
    signal.throwIfAborted()
    if (!isTable(table)) continue
    const store = storing.get(table) ?? scratch.storing(table, tables[table])
    storing.set(table, store)
    store(columns, rows, isLast)
  }
  const missing = needed.filter((table) => !scratch.progressOf(table).isComplete)
  if (missing.length > 0)
    throw refuse(
      `The dump has no tables ${missing.join(", ")}. It is none of Discourse as \`pg_dump\` writes it as text.`
    )
}

/** A file whose bytes are those of another one. */
const linkFile = ({ scratch }: Reading, name: string, target: string) =>
  scratch.run(
    "insert or ignore into files select ?, ?, sha256, size from files where path = ?",
    name,
    tailOf(name),
    target
  ).changes

const readArchive = async (reading: Reading, bytes: AsyncIterable<Uint8Array>) => {
  const { scratch, signal } = reading
  let hasDump = false
  for await (const { bytes: content, name, target, type } of entriesOf(bytes)) {
    signal.throwIfAborted()
    if (type === "file" && dumpName.test(name)) {
      hasDump = true
      await readDump(reading, content)
    } else if (name.startsWith("uploads/") && !name.includes("/optimized/")) {
      if (type === "file") await storeFile(scratch, name, content)
      if (type === "link" && linkFile(reading, name, target) === 0)
        scratch.tell("uploads", name, "file_missing")
      if (type === "symlink") scratch.tell("uploads", name, "file_is_link")
    }
  }
  if (!hasDump) throw refuse("The archive has no dump.sql.gz. It is no backup of Discourse.")
}

/** The first bytes, and all of them. */
const peeked = async (bytes: AsyncIterable<Uint8Array>, length: number) => {
  const iterator = bytes[Symbol.asyncIterator]()
  const parts: Array<Uint8Array> = []
  let read = 0
  while (read < length) {
    const step = await iterator.next()
    if (step.done === true) break
    parts.push(step.value)
    read += step.value.length
  }
  const all = async function* () {
    yield* parts
    for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) yield step.value
  }
  return { beginning: Buffer.concat(parts).subarray(0, length), all: all() }
}

export const readBackup = async (reading: Reading) => {
  reading.scratch.makeTables(tables)
  const bytes = unpacked("The backup", bytesOfFile(reading.source, reading.told))
  const { all, beginning } = await peeked(bytes, 512)
  if (isTar(beginning)) return await readArchive(reading, all)
  if (beginning.toString("latin1", 0, 5) === "PGDMP")
    throw refuse(
      "The dump is in the form that only `pg_restore` reads. Make one with `pg_dump --format=plain`."
    )
  await readDump(reading, all)
}

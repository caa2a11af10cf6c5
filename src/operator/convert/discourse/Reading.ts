/** Reads a backup of Discourse: an archive of a dump and of the files that were uploaded, or the dump alone. */
import { entriesOf, isTar } from "../shared/Archive.ts"
import { bytesOfFile, peeked, refuse, unpacked } from "../shared/Bytes.ts"
import type { Reading } from "../shared/Conversion.ts"
import { checkIsText, readDump } from "../shared/Dumps.ts"
import { storeFile } from "../shared/Files.ts"
import { tailOf } from "../shared/Tails.ts"
import { needed, tables } from "./Tables.ts"

const form = { program: "Discourse", tables, needed }

const dumpName = /^dump\.sql(?:\.gz)?$/

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
      await readDump(reading, form, content)
    } else if (name.startsWith("uploads/") && !name.includes("/optimized/")) {
      if (type === "file") await storeFile(scratch, name, content)
      if (type === "link" && linkFile(reading, name, target) === 0)
        scratch.tell("uploads", name, "file_missing")
      if (type === "symlink") scratch.tell("uploads", name, "file_is_link")
    }
  }
  if (!hasDump) throw refuse("The archive has no dump.sql.gz. It is no backup of Discourse.")
}

export const readBackup = async (reading: Reading) => {
  reading.scratch.makeTables(tables)
  const bytes = unpacked("The backup", bytesOfFile(reading.source, reading.told))
  const { all, beginning } = await peeked(bytes, 512)
  if (isTar(beginning)) return await readArchive(reading, all)
  checkIsText(beginning)
  await readDump(reading, form, all)
}

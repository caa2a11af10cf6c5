/** Unpacks the bytes of entries, and checks that they are those that the archive says. */
import { crc32 } from "node:zlib"
import type { ZipFile } from "yauzl"
import { type Planned, planEntries } from "../../../../domain/plugin/ArchiveRules.ts"
import { ArchiveRefused } from "../../../../domain/plugin/PluginArchives.ts"
import type { ReadEntry, ZipDirectory } from "./ZipDirectory.ts"

/** What stands in the directory of an unpacked archive: the SHA-256 of the archive. */
export const markerName = ".archive-sha256"

/** The entries of an archive as they would be unpacked; throws if it breaks a rule. */
export const planOf = ({ entries, start }: ZipDirectory): ReadonlyArray<Planned<ReadEntry>> => {
  const plan = planEntries(entries, start, [markerName])
  if (plan._tag === "Failure") throw plan.failure
  return plan.success
}

/** The bytes of an entry as they are unpacked. It throws if they are not those that the archive says, at the end at the latest. */
export async function* contentsOf(
  zip: ZipFile,
  { source }: ReadEntry,
  signal: AbortSignal
): AsyncGenerator<Buffer> {
  const wrong = () => new ArchiveRefused({ reason: "contents", file: source.fileNameRaw.toString() })
  let [size, sum] = [0, 0]
  try {
    const stream = await zip.openReadStreamPromise(source)
    for await (const part of stream) {
      signal.throwIfAborted()
      const bytes: Buffer = part
      size += bytes.length
      sum = crc32(bytes, sum)
      yield bytes
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ArchiveRefused ? error : wrong()
  }
  if (size !== source.uncompressedSize || sum !== source.crc32) throw wrong()
}

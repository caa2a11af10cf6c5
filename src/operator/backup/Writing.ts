/** Writes a backup to a file, which has its name when it is whole, and not before. */
import { open } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { createZstdCompress } from "node:zlib"
import { compression } from "../shared/compression.ts"
import { type Member, pack } from "../shared/Tar.ts"
import { makeWhole } from "../shared/Unfinished.ts"
import { untilAborted } from "../shared/untilAborted.ts"
import { makeSealing } from "./Seal.ts"

// How many bytes are written before the disk is asked again.
const askedEvery = 16 * 1024 * 1024

export interface Written {
  readonly file: string
  readonly members: AsyncIterable<Member>
  readonly at: Date
  readonly signal: AbortSignal
  /** Fails where too little of the disk is free to go on. */
  readonly checkRoom: () => Promise<void>
}

const writeTo = async (
  path: string,
  { at, checkRoom, members, signal }: Omit<Written, "file">
): Promise<number> => {
  const target = await open(path, "wx", 0o600)
  try {
    const sealing = makeSealing()
    let unpacked = 0
    const archive = async function* () {
      for await (const bytes of pack(members, Math.floor(at.getTime() / 1000))) {
        unpacked += bytes.length
        yield bytes
      }
    }
    const sealed = async function* (compressed: AsyncIterable<Buffer>) {
      for await (const bytes of compressed) {
        sealing.pass(bytes)
        yield bytes
      }
      yield sealing.seal(unpacked)
    }
    const write = async (bytes: AsyncIterable<Buffer>) => {
      let unasked = askedEvery
      for await (const part of bytes) {
        if (unasked >= askedEvery) {
          await checkRoom()
          unasked = 0
        }
        unasked += part.length
        await target.writeFile(part)
      }
    }
    await pipeline(untilAborted(archive(), signal), createZstdCompress(compression), sealed, write, {
      signal
    })
    const { size } = await target.stat()
    await target.sync()
    return size
  } finally {
    await target.close()
  }
}

/** Writes the members and answers how large the file is. Nothing is left of it where that fails or is interrupted. */
export const writeBackup = ({ file, ...written }: Written): Promise<number> =>
  makeWhole(file, (unfinished) => writeTo(unfinished, written))

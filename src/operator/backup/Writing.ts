/** Writes a backup to a file, which has its name when it is whole, and not before. */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { pipeline } from "node:stream/promises"
import { constants, createZstdCompress } from "node:zlib"
import { syncDirectory } from "../../persistence/shared/syncDirectory.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import { makeSealing } from "./Seal.ts"
import { type Member, pack } from "./Tar.ts"

const compression = {
  chunkSize: 128 * 1024,
  params: {
    [constants.ZSTD_c_compressionLevel]: 3,
    [constants.ZSTD_c_checksumFlag]: 1
  }
}

const checkAbsent = (path: string) => {
  if (existsSync(path)) throw new OperatorFailure({ message: `${path} exists. Name another file.` })
}

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

/** Writes the members and answers how large the file is. Nothing is left of it where that fails or is interrupted. */
export const writeBackup = async ({ at, checkRoom, file, members, signal }: Written): Promise<number> => {
  const path = resolve(file)
  checkAbsent(path)
  const unfinished = `${path}.${randomBytes(6).toString("hex")}.unfinished`
  const target = await open(unfinished, "wx", 0o600)
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
    await pipeline(archive, createZstdCompress(compression), sealed, write, { signal })
    const { size } = await target.stat()
    await target.sync()
    checkAbsent(path)
    await rename(unfinished, path)
    await syncDirectory(dirname(path))
    return size
  } finally {
    await target.close()
    await rm(unfinished, { force: true })
  }
}

/** Writes an export: into a directory, or into one file. */
import { mkdir, open, readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createZstdCompress } from "node:zlib"
import { syncDirectory } from "../../persistence/shared/syncDirectory.ts"
import { compression } from "../shared/compression.ts"
import { type Member, pack } from "../shared/Tar.ts"
import { makeWhole } from "../shared/Unfinished.ts"
import { untilAborted } from "../shared/untilAborted.ts"

/** What the names of files end with that are one archive. */
const archiveEnd = ".tar.zst"

const blockLength = 64 * 1024

/** The same bytes in blocks of one length, so that the same archive is compressed to the same bytes. */
const inBlocks = async function* (chunks: AsyncIterable<Uint8Array>) {
  let pieces: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of chunks) {
    let rest = chunk
    while (length + rest.length >= blockLength) {
      const taken = rest.subarray(0, blockLength - length)
      yield Buffer.concat([...pieces, taken])
      rest = rest.subarray(taken.length)
      pieces = []
      length = 0
    }
    if (rest.length > 0) pieces.push(rest)
    length += rest.length
  }
  if (length > 0) yield Buffer.concat(pieces)
}

const writeArchive = async (path: string, members: AsyncIterable<Member>, signal: AbortSignal) => {
  const target = await open(path, "wx", 0o600)
  try {
    const write = async (bytes: AsyncIterable<Buffer>) => {
      for await (const part of bytes) await target.writeFile(part)
    }
    // Without a time, as two archives of the same data are the same.
    const archive = untilAborted(inBlocks(pack(members, 0)), signal)
    await pipeline(archive, createZstdCompress(compression), write, { signal })
    await target.sync()
  } finally {
    await target.close()
  }
}

/** The members as a list of names, each before its bytes. */
const stepsOf = async function* (members: AsyncIterable<Member>): AsyncGenerator<string | Uint8Array> {
  for await (const { bytes, name } of members) {
    yield name
    yield* bytes
  }
}

const openNew = async (root: string, name: string) => {
  const path = join(root, name)
  await mkdir(dirname(path), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error
  })
  return await open(path, "wx", 0o600)
}

const writeDirectory = async (root: string, members: AsyncIterable<Member>, signal: AbortSignal) => {
  await mkdir(root, { mode: 0o700 })
  let file: Awaited<ReturnType<typeof openNew>> | undefined
  const finish = async () => {
    await file?.sync()
    await file?.close()
    file = undefined
  }
  try {
    for await (const step of untilAborted(stepsOf(members), signal)) {
      if (typeof step === "string") {
        await finish()
        file = await openNew(root, step)
      } else {
        await file?.writeFile(step)
      }
    }
    await finish()
  } finally {
    await file?.close()
  }
  const inside = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  for (const { name } of inside) await syncDirectory(join(root, name))
  await syncDirectory(root)
}

/**
 * Writes the members under this name, in one file if it says so. Nothing is left where that fails or is interrupted.
 * `beforeNaming` runs once all of them are written, and what has the name is whole with what it did.
 */
export const writeExport = (
  target: string,
  members: AsyncIterable<Member>,
  signal: AbortSignal,
  beforeNaming: () => Promise<void> = () => Promise.resolve()
): Promise<void> =>
  makeWhole(target, async (unfinished) => {
    await (target.endsWith(archiveEnd) ? writeArchive : writeDirectory)(unfinished, members, signal)
    await beforeNaming()
  })

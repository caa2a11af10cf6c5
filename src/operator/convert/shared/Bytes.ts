/** Reads files of other programs as bytes, unpacked if they are packed, and no more of them than they can honestly have. */
import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { createGunzip } from "node:zlib"
import { OperatorFailure } from "../../OperatorFailure.ts"

const gzipMagic = [0x1f, 0x8b]

/** How many times its packed length something may have. Dumps have five to twenty times. */
const ratioMax = 200

/** What may be unpacked of anything, before its ratio counts. */
const alwaysMax = 64 * 1024 * 1024

export const refuse = (message: string) => new OperatorFailure({ message })

const damaged = (what: string, error: unknown) =>
  refuse(`${what} cannot be unpacked: ${error instanceof Error ? error.message : error}.`)

/** The first bytes of a file. */
export const beginningOf = async (path: string, length: number): Promise<Buffer> => {
  const file = await open(path, "r")
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const isGzip = (bytes: Uint8Array) => gzipMagic.every((byte, index) => bytes[index] === byte)

/** The bytes without their compression by `gzip`, if they have it. Fails where they become far too many. */
export const unpacked = async function* (
  what: string,
  packed: AsyncIterable<Uint8Array>
): AsyncGenerator<Uint8Array> {
  const source = packed[Symbol.asyncIterator]()
  const first = await source.next()
  if (first.done === true) return
  let read = 0
  const all = async function* () {
    for (let step: IteratorResult<Uint8Array> = first; step.done !== true; step = await source.next()) {
      read += step.value.length
      yield step.value
    }
  }
  if (!isGzip(first.value)) {
    yield* all()
    return
  }
  const gunzip = createGunzip({ chunkSize: 128 * 1024 })
  const feeding = (async () => {
    for await (const part of all())
      if (!gunzip.write(part))
        await new Promise((resolve) => gunzip.once("drain", resolve).once("close", resolve))
    gunzip.end()
  })()
  feeding.catch((error: unknown) => gunzip.destroy(error instanceof Error ? error : new Error(String(error))))
  let made = 0
  try {
    for await (const part of gunzip) {
      made += part.length
      if (made > alwaysMax && made > read * ratioMax)
        throw refuse(
          `${what} becomes more than ${ratioMax} times as long when it is unpacked. It is refused.`
        )
      yield part
    }
  } catch (error) {
    throw error instanceof OperatorFailure ? error : damaged(what, error)
  } finally {
    gunzip.destroy()
    await source.return?.(undefined)
  }
}

/** The bytes of a file; `told` is told how many were read. */
export const bytesOfFile = async function* (
  path: string,
  told: (bytes: number) => void
): AsyncGenerator<Uint8Array> {
  for await (const part of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    told(part.length)
    yield part
  }
}

/** The first bytes, and all of them. */
export const peeked = async (bytes: AsyncIterable<Uint8Array>, length: number) => {
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

/**
 * Archives as `tar` writes and unpacks them (ustar): files only, which nobody but their owner may read. What is read has
 * to be what `pack` writes, bit by bit: nothing is guessed.
 */
import { OperatorFailure } from "../OperatorFailure.ts"

const blockLength = 512

type Bytes = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export interface Member {
  /** Letters, digits and `._-`, below at most one directory. */
  readonly name: string
  readonly size: number
  readonly bytes: Bytes
}

export interface Header extends Pick<Member, "name" | "size"> {
  /** When the archive was made, in seconds since 1970. */
  readonly seconds: number
}

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`

const fields = { name: 0, size: 124, seconds: 136, checksum: 148, prefix: 345 } as const

/** The largest file that a header has room for. */
export const sizeMax = 8 ** 11 - 1

export const headerOf = ({ name, seconds, size }: Header): Buffer => {
  const block = Buffer.alloc(blockLength)
  const cut = name.lastIndexOf("/")
  block.write(name.slice(cut + 1), fields.name, 100)
  block.write(`${octal(0o600, 8)}${octal(0, 8)}${octal(0, 8)}`, 100)
  block.write(octal(size, 12), fields.size)
  block.write(octal(seconds, 12), fields.seconds)
  block.write("        0", fields.checksum)
  block.write("ustar\x0000", 257)
  block.write(name.slice(0, Math.max(cut, 0)), fields.prefix, 155)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 7)} `, fields.checksum)
  return block
}

/** What an archive is of. */
type Use = "backup" | "export"

export const damaged = (what: string, use: Use = "backup") =>
  new OperatorFailure({ message: `The file is no whole ${use}: ${what}. Nothing was changed.` })

const textIn = (block: Buffer, start: number, length: number) => {
  const end = block.indexOf(0, start)
  return block.toString("latin1", start, end < 0 ? start + length : Math.min(end, start + length))
}

const readHeader = (block: Buffer, use: Use): Header => {
  const directory = textIn(block, fields.prefix, 155)
  const header = {
    name: `${directory === "" ? "" : `${directory}/`}${textIn(block, fields.name, 100)}`,
    size: Number.parseInt(textIn(block, fields.size, 12), 8),
    seconds: Number.parseInt(textIn(block, fields.seconds, 12), 8)
  }
  if (!Number.isSafeInteger(header.size) || !headerOf(header).equals(block))
    throw damaged("a header is wrong", use)
  return header
}

const paddingOf = (size: number) => (blockLength - (size % blockLength)) % blockLength

/** The bytes of an archive. */
export const pack = async function* (members: AsyncIterable<Member>, seconds: number) {
  for await (const { bytes, name, size } of members) {
    yield headerOf({ name, size, seconds })
    let written = 0
    for await (const part of bytes) {
      written += part.length
      yield part
    }
    if (written !== size) throw new OperatorFailure({ message: `${name} changed while it was read` })
    yield Buffer.alloc(paddingOf(size))
  }
  yield Buffer.alloc(2 * blockLength)
}

/** Takes bytes from a stream, as many as are asked for. */
const makeTaking = (chunks: AsyncIterable<Uint8Array>, use: Use) => {
  const iterator = chunks[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array(0)

  const fill = async () => {
    while (rest.length === 0) {
      const { done, value } = await iterator.next()
      if (done === true) return false
      rest = value
    }
    return true
  }

  const some = async (most: number) => {
    if (!(await fill())) throw damaged("it ends too early", use)
    const part = rest.subarray(0, most)
    rest = rest.subarray(part.length)
    return part
  }

  const through = async function* (length: number) {
    for (let left = length; left > 0; ) {
      const part = await some(left)
      left -= part.length
      yield part
    }
  }

  const exactly = async (length: number) => {
    const parts: Array<Uint8Array> = []
    for await (const part of through(length)) parts.push(part)
    return Buffer.concat(parts)
  }

  return { exactly, hasMore: fill, through } as const
}

const isZero = (block: Buffer) => block.every((byte) => byte === 0)

/** The files of an archive, in their order. The bytes of each have to be read before the next one. */
export const unpack = async function* (
  chunks: AsyncIterable<Uint8Array>,
  use: Use = "backup"
): AsyncGenerator<Member> {
  const { exactly, hasMore, through } = makeTaking(chunks, use)
  while (true) {
    const block = await exactly(blockLength)
    if (isZero(block)) break
    const { name, size } = readHeader(block, use)
    let isRead = false
    const bytes = async function* () {
      yield* through(size)
      if (!isZero(await exactly(paddingOf(size)))) throw damaged(`there is something behind ${name}`, use)
      isRead = true
    }
    yield { name, size, bytes: bytes() }
    if (!isRead) throw new Error(`${name} was not read`)
  }
  if (!isZero(await exactly(blockLength)) || (await hasMore()))
    throw damaged("there is something behind its end", use)
}
